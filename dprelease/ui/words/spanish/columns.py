"""The declaration of columns."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "columns_title": "Declarar las columnas",
    "columns_lead": "Anote lo que se sabe de cada columna sin mirar las filas: lo que se declara aquí será público, y "
    "el ruido depende de ello.",
    "columns_dataset": "Conjunto de datos",
    "columns_none": "Todavía no hay ningún conjunto de datos. Cuando se registre una tabla, sus columnas aparecerán "
    "aquí con su nombre, y nada más se rellena sobre ellas.",
    "columns_rules": "Los límites proceden del conocimiento general (edad de 0 a 120), nunca del valor menor y mayor "
    "de la propia tabla. Los valores de fuera cuentan como el límite más próximo, o como si no hubiera valor. Las "
    "categorías no declaradas se descartan, o se cuentan en «other».",
    "columns_tools": "Maneras de rellenar la tabla",
    "tool_import": "Tomar un libro de códigos",
    "tool_several": "Cambiar varias columnas",
    "tool_bounds": "Hallar límites, con un cargo",
    "columns_table": "Columnas del conjunto de datos",
    "columns_count": "Declaradas: {used} de {all}.",
    "columns_count_wrong": "Declaradas: {used} de {all}. Por corregir: {wrong}.",
    "columns_one": "1 columna",
    "columns_many": "{count} columnas",
    "problems_one": "1 problema",
    "problems_many": "{count} problemas",
    "names_and_more": "{names} y {more} más",
    "columns_search": "Buscar columnas",
    "columns_search_example": "parte de un nombre, un tipo, una categoría o una descripción",
    "columns_view": "Mostrar",
    "view_all": "Todas las columnas",
    "view_used": "Las que se usan",
    "view_unused": "Las que no se usan",
    "view_wrong": "Las que hay que corregir",
    "columns_none_in_sight": "No hay ninguna columna así. Vacíe la búsqueda o muestre todas las columnas.",
    "undo": "Deshacer",
    "redo": "Rehacer",
    "columns_reset": "Volver a lo declarado",
    "columns_unsaved": "Hay trabajo del {on} que todavía no está declarado. Se conserva solo para usted, también al "
    "cerrar esta página, hasta que se guarde la declaración.",
    "columns_stale": "Entretanto, estas columnas se cambiaron en otra pestaña o ventana. No se ha sobrescrito nada: "
    "decida con cuál de las dos versiones seguir.",
    "columns_take_other": "Seguir con la otra",
    "columns_take_mine": "Seguir con esta",
    "column_name": "Columna",
    "column_check": "Control",
    "column_check_help": "Qué falla en la columna y qué se admite en su lugar. Vacío en las columnas que no se usan.",
    "column_good": "completa",
    "column_identifies": "identifica la unidad",
    "column_problem": "Por corregir. Encontrado: {found}; se admite: {allowed}.",
    "column_problem_remedy": "Por corregir. Encontrado: {found}; se admite: {allowed}. {remedy}",
    "column_problem_field": "Por corregir: {field}. Encontrado: {found}; se admite: {allowed}.",
    "column_problem_field_remedy": "Por corregir: {field}. Encontrado: {found}; se admite: {allowed}. {remedy}",
    "column_use": "Usar",
    "column_use_help": "Solo sobre estas columnas se puede publicar. Deje fuera las que no hagan falta.",
    "column_type": "Tipo",
    "column_type_help": "integer (entero), number (número), category (categoría), boolean (sí o no), date (fecha); "
    "text para identificadores.",
    "column_lower": "Inferior",
    "column_lower_help": "El menor valor declarado: un número, o un día como 2025-01-01.",
    "column_upper": "Superior",
    "column_upper_help": "El mayor valor declarado. Los valores por encima cuentan como este.",
    "column_resolution": "Resolución",
    "column_resolution_help": "El paso entre dos valores. Vacío: 1 para enteros, y lo bastante fino para números.",
    "column_categories": "Categorías",
    "column_categories_help": "Todos los valores declarados, separados por comas (o uno por línea); entre comillas, "
    "una coma forma parte del valor.",
    "column_other": "Otros",
    "column_other_help": "Contar los valores no declarados en una celda llamada other. Sin ella se descartan.",
    "column_missing_codes": "Códigos sin respuesta",
    "column_missing_codes_help": "Valores que significan que no hay respuesta, separados por comas: -99, NS/NC. Un "
    "intervalo se escribe 900..999; uno abierto, ..-1. Un guion dice que no hay ninguno.",
    "codes_question": "¿Qué códigos significan que no hay respuesta en {columns}? Las encuestas suelen escribir -99 o "
    "999. Nada se busca en las filas: un código no declarado contaría como un número. Otros códigos se escriben en la "
    "tabla.",
    "codes_clear": "códigos separados por coma y espacio, con punto decimal",
    "codes_unclear": "Escriba -99.5 para un solo código, y -99, 5 para dos.",
    "codes_none": "No hay ninguno",
    "codes_negative": "-9, -99 y -999",
    "codes_positive": "9, 99 y 999, si pasan de los límites",
    "column_outside": "Fuera de los límites",
    "column_outside_help": "Cómo cuenta un valor menor que el límite inferior o mayor que el superior. Vacío: como el "
    "límite más próximo. «Sin valor» descarta también los códigos que nadie declaró.",
    "outside_clip": "límite más próximo",
    "outside_missing": "sin valor",
    "outside_below": "por debajo: sin valor",
    "outside_above": "por encima: sin valor",
    "column_count_missing_as": "Vacío cuenta como",
    "column_count_missing_as_help": "El valor declarado con el que cuenta una fila que no tiene ninguno: vacía, "
    "ilegible o con un código sin respuesta. Si se deja vacío, esas filas se dejan fuera.",
    "column_discover": "Descubrir",
    "column_discover_help": "Las categorías no se conocen: publicar las que tengan filas suficientes. Exige un δ "
    "mayor que 0, y solo los histogramas, las tablas cruzadas y los valores más frecuentes pueden usar la columna.",
    "columns_both": "categorías y, a la vez, la marca en Descubrir",
    "columns_either": "categorías declaradas, o bien categorías por descubrir",
    "column_unit": "Medida en",
    "column_unit_help": "Por ejemplo, años o EUR.",
    "column_description": "Descripción",
    "column_description_help": "Para quienes lean la publicación.",
    "columns_save": "Guardar la declaración",
    "columns_saved": "Columnas declaradas de {dataset}: {count}.",
    "columns_no_type": "ningún tipo",
    "columns_types": "integer, number, category, boolean, date o text",
    "columns_more_problems": "Y {more}. «Las que hay que corregir» muestra solo las columnas que tienen alguno.",
    "brief_resolution": "paso {step}",
    "brief_codes": "sin respuesta: {codes}",
    "brief_filled": "vacío cuenta como {value}",
    # Before saving
    "saving_title": "Qué cambia al guardar",
    "saving_changed": "Se declaran de nuevo: {columns}.",
    "saving_approved": "Aprobaciones que caducan, porque una aprobación vale para las columnas tal como están: "
    "{plans}. Estos planes tendrán que aprobarse otra vez.",
    "saving_waiting": "Planes enviados que conservan la declaración con la que se enviaron: {plans}. Para usar la "
    "nueva, hay que enviarlos de nuevo.",
    "saving_published": "Planes publicados que usan estas columnas: {plans}. Sus publicaciones quedan como están.",
    "saving_previewed": "Se vieron valores verdaderos de esta población en una vista previa. El libro mayor lo "
    "recuerda, y los certificados de planes posteriores dirán que se declararon columnas después de ver valores "
    "verdaderos.",
    # Taking over
    "import_text": "Un libro de códigos dice qué pueden contener las columnas, y así nadie tiene que escribirlo. No se "
    "toma nada antes de que usted haya visto qué cambiaría.",
    "import_from": "De",
    "import_from_own": "El archivo del que procede la tabla",
    "import_from_file": "Un archivo con el libro de códigos",
    "import_from_dataset": "Otro conjunto de datos de este espacio de trabajo",
    "import_file": "Libro de códigos",
    "import_file_help": "CSV con una fila por columna, Table Schema o paquete de datos de Frictionless, DDI Codebook, "
    "un archivo de SPSS o Stata (solo se leen sus etiquetas, ninguna fila) o un archivo de plan. Se lee y no se "
    "conserva.",
    "import_by_label": "La tabla contiene las etiquetas, no los códigos",
    "import_by_label_help": "El libro de códigos tiene un código y una etiqueta por categoría. Márquelo si las celdas "
    "de la tabla contienen las etiquetas.",
    "import_reading": "Leyendo el libro de códigos…",
    "import_dataset": "Conjunto de datos cuya declaración se toma",
    "import_resource": "Tabla del paquete de datos",
    "import_found": "{source} cambiaría {changes}.",
    "import_none": "{source} no cambia nada: lo que dice ya está en la tabla ({same}).",
    "import_unknown": "No son columnas de esta tabla, y se dejan fuera: {columns}.",
    "import_silent": "Columnas de las que no dice nada, y que quedan como están: {columns}.",
    "import_every": "Marcar todas",
    "import_take": "Tomar",
    "import_now": "Declarado ahora",
    "import_then": "Propuesto",
    "import_nothing": "nada",
    "import_table": "Qué cambiaría",
    "import_apply": "Tomar {columns}",
    "import_done": "Tomadas de {source}: {columns}. Nada queda declarado hasta que se guarde; Deshacer lo revierte.",
    "codebook_note_statistics": "Las estadísticas observadas (mínimos, medias, frecuencias) son hechos sobre las "
    "filas. Nunca se toman: {columns}.",
    "codebook_note_ranges": "Los rangos válidos se tomaron como límites. Algunos programas los calculan a partir de "
    "las filas: tome solo los que se acordaron de antemano. {columns}.",
    "codebook_note_labels": "Las categorías son los valores tal como están en la tabla; lo que significan pasó a la "
    "descripción: {columns}.",
    "codebook_note_by_label": "Las categorías son las etiquetas, tal como están en la tabla: {columns}.",
    "codebook_note_cut": "Descripciones demasiado largas, que se han cortado: {columns}.",
    "codebook_note_missing_codes": "Los códigos sin respuesta se tomaron como tales, de modo que esas filas cuentan "
    "como filas sin valor: {columns}.",
    "codebook_note_missing_unclear": "Un encabezado «ausente» puede designar los códigos sin respuesta o el valor con "
    "el que cuenta una celda vacía: no se tomó. Llámelo «códigos sin respuesta» o «vacío cuenta como». {columns}.",
    "codebook_note_codes_unread": "El archivo puede declarar códigos sin respuesta que este formato no deja leer: "
    "declárelos usted. {columns}.",
    "codebook_note_unknown_type": "Tipos sin equivalente, que debe elegir usted: {columns}.",
    "codebook_note_text": "Texto libre sin lista de valores; no se propone ningún tipo: {columns}.",
    # Several columns
    "several_text": "Elija columnas y rellene lo que deben tener en común. Lo que se deja vacío queda en cada columna "
    "como está. En una pantalla pequeña es también la manera de cambiar una sola.",
    "several_columns": "Columnas que cambiar",
    "several_sight": "Elegir las {columns} que se muestran abajo",
    "several_domain": "Dominio preparado",
    "several_domain_none": "ninguno",
    "several_domain_help": "Tipo, límites y categorías que sirven para muchas tablas. Lo que se rellene aquí "
    "prevalece.",
    "several_domain_is": "Declara: {domain}",
    "several_same": "como está",
    "several_categories_help": "Una por línea, como se pega una columna de una hoja de cálculo; o separadas por comas.",
    "several_empty": "Vaciar antes estos campos",
    "several_empty_none": "ninguno",
    "several_empty_help": "Lo que contienen se elimina de todas las columnas elegidas.",
    "several_apply": "Cambiar {columns}",
    "several_done": "Cambios hechos: {columns}. Nada queda declarado hasta que se guarde; Deshacer lo revierte.",
    "answer_yes": "Sí",
    "answer_no": "No",
    "domain_name": "{group}: {name}",
    "domain_dates": "Tiempo: días de un año, o de varios",
    "domain_group_people": "Personas",
    "domain_group_answers": "Respuestas",
    "domain_group_places": "Lugares",
    "domain_group_health": "Salud",
    "domain_group_time": "Tiempo",
    "domain_group_money": "Dinero",
    "domain_group_shares": "Proporciones",
    "domain_group_counts": "Recuentos y medidas",
    "dates_first": "Primer año",
    "dates_last": "Último año",
    "dates_last_help": "Vacío: solo los días del primer año.",
    "dates_after": "{year} o posterior",
    # Bounds for a charge
    "bounds_text": "Si ni un libro de códigos ni el conocimiento general dan límites, una pequeña parte del "
    "presupuesto los halla: una publicación, con ruido, de las potencias de dos entre las que están casi todos los "
    "valores. Mirar las filas, en cambio, rompería la garantía.",
    "bounds_column": "Columna de números",
    "bounds_wide": "Los valores están con seguridad entre",
    "bounds_wide_help": "Conviene que sea demasiado amplio: el precio no depende de ello.",
    "bounds_epsilon": "ε que se gasta",
    "bounds_epsilon_help": "Una parte pequeña del presupuesto, como 0,05 para unos miles de filas. El cargo es "
    "definitivo.",
    "bounds_delta": "δ del plan",
    "bounds_delta_help": "Esta población cuenta en ρ, que solo equivale a un ε junto a un δ, como 1e-6.",
    "bounds_rows": "Filas que se usan de cada unidad ({unit}), como máximo",
    "bounds_rows_help": "Cuántas filas puede tener una unidad como máximo, por conocimiento general. Las demás se "
    "dejan fuera.",
    "bounds_open": "El precio se muestra cuando todas las preguntas tienen respuesta. No se sugiere nada, porque cada "
    "respuesta cuesta presupuesto o precisión.",
    "bounds_cost": "Qué cuesta",
    "bounds_after": "Qué queda",
    "bounds_outside": "Qué puede quedar fuera",
    "bounds_outside_text": "En cada extremo, como máximo unos {rows} registros (con el 95 %).",
    "bounds_who": "Quién lo verá",
    "bounds_who_text": "Todo el mundo: los límites se publican.",
    "bounds_who_team": "Primero, quien revisa; una vez aprobados y publicados, todo el mundo.",
    "bounds_confirm": "Para gastarlo, escriba el nombre de la columna: {column}",
    "bounds_confirmation": "confirmación",
    "bounds_confirm_allowed": "el nombre de la columna, {column}",
    "bounds_button": "Gastar ε = {epsilon} y publicar los límites",
    "bounds_submit": "Enviar a revisión",
    "bounds_submitted": "El plan que halla los límites de {column} espera a quien revisa. Todavía no se ha gastado "
    "nada.",
    "bounds_published": "Los límites se han publicado como {release} y se ofrecen abajo.",
    "bounds_title": "Límites de {column}",
    "bounds_waits": "«{title}», de {author}, del {on}, espera a quien revisa.",
    "bounds_approved": "«{title}» está aprobado. Al publicarlo se gasta su ε.",
    "bounds_publish": "Publicar «{title}»",
    "bounds_found": "{column}: casi todos los valores están entre {lower} y {upper}. Publicado en {release} el {on}, "
    "con ruido, de modo que se puede declarar.",
    "bounds_take": "Proponer de {lower} a {upper} para {column}",
    "bounds_taken": "Estos límites están en la tabla.",
    "bounds_done": "Los límites de {column} están en la tabla. Nada queda declarado hasta que se guarde.",
    "bounds_source": "Límites hallados por la publicación {release} del {on}",
}
