"""Datasets and their tables."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "guide": "Más en la guía",
    "guide_page": "En la guía: {title}",
    "datasets": "Conjuntos de datos",
    "datasets_none": "Aún no hay ningún conjunto de datos registrado. Un conjunto de datos es una tabla privada sobre "
    "una población: traiga un archivo aquí abajo, indique de quién es la privacidad de cada fila y declare después "
    "sus columnas.",
    "dataset": "Conjunto de datos",
    "dataset_unit": "Una unidad es",
    "unit_row": "una fila",
    "unit_column": "todas las filas con el mismo valor de {column}",
    "rows_used": "Filas usadas de cada unidad",
    "rows_of_plan": "las que diga cada plan",
    "columns_declared": "Columnas declaradas",
    "dataset_add": "Añadir un conjunto de datos",
    "dataset_needs_population": "Registre primero una población: una tabla gasta del presupuesto de las personas de "
    "las que trata.",
    # A file arrives.
    "upload": "La tabla confidencial, como máximo 200 MB: CSV, TSV, Excel, SPSS, Stata, JSON Lines o Parquet",
    "upload_help": "Va a la carpeta privada de esta instalación. Aquí solo se muestran los nombres de sus columnas, "
    "nunca las filas.",
    "upload_large": "¿Un archivo más grande? Se envía en una página aparte.",
    "server_file": "O un archivo que ya está en el servidor",
    "server_file_help": "Quien administra este servidor permite estas carpetas. El archivo se copia y se queda donde "
    "está.",
    "server_file_button": "Tomar este archivo",
    "reading": "Se está leyendo {filename}",
    "reading_leave": "Se puede salir de esta página: la lectura continúa y se encuentra aquí al volver.",
    "reading_stop": "Parar y eliminar el archivo",
    "waiting_more": "Otros archivos que esperan después de este: {count}.",
    "waiting_file": "Archivo",
    "waiting_format": "Formato",
    "waiting_count": "Número de columnas",
    "waiting_columns": "Sus columnas",
    "format_text": "texto con delimitadores",
    "format_json_lines": "JSON Lines",
    "format_excel": "libro de Excel",
    "format_spss": "SPSS",
    "format_spss_portable": "SPSS, portátil",
    "format_stata": "Stata",
    "format_parquet": "Parquet",
    # How it is read.
    "reading_title": "Cómo se ha leído el archivo",
    "reading_note": "Esto se ha detectado. Si algo no es correcto, por ejemplo si hay nombres de columnas cortados o "
    "faltan, se cambia aquí y se vuelve a leer el archivo.",
    "reading_delimiter": "Entre celdas",
    "reading_delimiter_help": "El signo que termina una celda. Si no es el correcto, varias columnas quedan en una.",
    "sign_comma": "coma ,",
    "sign_semicolon": "punto y coma ;",
    "sign_tab": "tabulador",
    "sign_bar": "barra |",
    "sign_point": "punto .",
    "reading_encoding": "Codificación",
    "reading_encoding_help": "Cómo se guardan letras como ñ o ü. Si se ven mal en los nombres de arriba, pruebe con "
    "windows-1252.",
    "reading_decimal": "Signo decimal",
    "reading_decimal_help": "Con coma, 1.234,5 se lee como 1234.5, y se quitan los puntos entre grupos de tres cifras. "
    "Las celdas que no son un número así se quedan como están.",
    "reading_dates": "Fechas",
    "reading_dates_help": "Las fechas como 2025-12-31 se leen siempre. Esto indica qué significa 3/4/2025.",
    "dates_iso": "solo como 2025-12-31",
    "dates_day_first": "primero el día: 31.12.2025, 31/12/2025",
    "dates_month_first": "primero el mes: 12/31/2025",
    "reading_header": "Fila con los nombres de las columnas",
    "reading_header_help": "Las filas anteriores se omiten. 0: ninguna fila tiene nombres, y las columnas se numeran.",
    "reading_sheet": "Hoja",
    "reading_sheet_help": "Se lee una hoja, como una tabla. Las demás no se miran.",
    "reading_labels": "Leer las etiquetas en lugar de los códigos",
    "reading_labels_help": "El archivo tiene etiquetas para algunos valores, como 1 = hombre. Con etiquetas, las "
    "categorías se declaran con ellas; sin ellas, con los códigos.",
    "reading_columns": "Signo decimal y fechas: solo en estas columnas",
    "reading_columns_all": "Todas las columnas",
    "reading_columns_help": "Elija columnas cuando en las demás haya códigos como 1.234 que deban quedarse como están. "
    "Vacío: en todas.",
    "read_again": "Leerlo de nuevo",
    "read_again_done": "{filename} se ha leído como se indicó.",
    # What it is about.
    "dataset_about": "De qué trata",
    "dataset_name": "Nombre del conjunto de datos",
    "dataset_name_help": "Minúsculas sin acentos, cifras, punto, guion y guion bajo, por ejemplo visitas. Es público.",
    "dataset_population": "¿De quién trata?",
    "dataset_population_help": "Todas las tablas sobre las mismas personas gastan del mismo presupuesto. Un archivo "
    "corregido o más reciente trata de la misma población.",
    "dataset_who": "¿Puede una misma unidad ({unit}) tener varias filas?",
    "dataset_who_help": "Esto decide qué se protege: con una respuesta equivocada, la garantía también lo es. En caso "
    "de duda, responda que sí.",
    "dataset_who_row": "No. Hago constar que ninguna tiene dos filas: cada fila es una unidad ({unit}).",
    "dataset_who_column": "Sí, o quizá. Una columna indica de quién es cada fila.",
    "dataset_column": "¿Qué columna indica a qué unidad ({unit}) pertenece cada fila?",
    "dataset_column_help": "Un identificador, como un número de paciente. No se publica nunca.",
    "dataset_unit_codes": "¿Qué identificadores no designan a nadie?",
    "dataset_unit_codes_help": "Valores de esa columna que no identifican a ninguna unidad, como 0 o "
    "-1, separados por comas. Sus filas se dejan fuera. Vacío: no hay ninguno.",
    "dataset_max_rows": "¿Cuántas filas de una misma unidad ({unit}) se pueden usar como máximo?",
    "dataset_max_rows_help": "Un número que se conoce en general, no uno contado en esta tabla. Las demás filas se "
    "dejan fuera; cuantas más se usen, mayor será el ruido. Un plan puede indicar otro.",
    "choose": "Elegir",
    "dataset_save": "Registrar el conjunto de datos",
    "dataset_saved": "El conjunto de datos {name} está registrado. Ahora hay que declarar sus columnas.",
    "dataset_discard": "Eliminar el archivo",
    "dataset_discarded": "{filename} se ha eliminado.",
    "answer_population": "Elija de quién trata la tabla.",
    "answer_who": "Indique si una misma unidad puede tener varias filas.",
    "answer_column": "Elija la columna que indica de quién es cada fila.",
    "answer_max_rows": "Indique cuántas filas de una misma unidad se pueden usar.",
    "nothing": "nada",
    "a_choice": "una de las respuestas",
    "number": "número",
    "number_clear": "un número sin signo entre los millares",
    "number_unclear": "Escriba {whole}, o {part} con coma decimal.",
    # Where it is kept.
    "kept_title": "Dónde se guarda una tabla, hasta cuándo, y cómo eliminarla",
    "kept_which": "¿Qué conjunto de datos?",
    "kept_where": "Dónde está",
    "kept_size": "Tamaño en el disco",
    "size_gb": "unos {size} GB",
    "size_mb": "unos {size} MB",
    "size_kb": "unos {size} kB",
    "kept_nowhere": "En ninguna parte: la tabla se ha eliminado.",
    "kept_elsewhere": "No en esta instalación: en un servidor propio, o en la memoria.",
    "kept_until": "Se elimina el",
    "kept_open": "sin fecha",
    "kept_deleted": "eliminada",
    "kept_who": "Quién puede verla",
    "kept_who_text": "Aquí nadie ve las filas. Los responsables de los datos ven totales exactos en las vistas "
    "previas; quien administra el servidor puede abrir sus archivos.",
    "terms_max_rows": "Filas usadas de cada unidad, como máximo",
    "terms_delete_on": "Eliminar la tabla el",
    "terms_delete_on_help": "Ese día (UTC) la tabla privada se elimina, sin preguntar de nuevo. Las publicaciones y el "
    "libro mayor se quedan. Vacío: se guarda hasta que alguien la elimine.",
    "terms_save": "Guardar",
    "terms_saved": "Lo indicado sobre {name} está guardado.",
    "delete_title": "Eliminar la tabla ahora",
    "delete_note": "La tabla privada se elimina de esta instalación. Se quedan las publicaciones, el libro mayor y lo "
    "gastado. No se tocan las copias hechas en otros lugares ni las copias de seguridad.",
    "delete_confirm": "Para confirmar, escriba {name}",
    "delete_button": "Eliminar la tabla",
    "delete_not_confirmed": "No se ha eliminado nada. Escriba el nombre del conjunto de datos, {name}, para confirmar.",
    "table_deleted": "La tabla de {name} se ha eliminado. Sus publicaciones y el libro mayor se quedan.",
}
