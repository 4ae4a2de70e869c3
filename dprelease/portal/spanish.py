"""The Spanish words of the public portal."""

from __future__ import annotations

from collections.abc import Mapping

SPANISH: Mapping[str, str] = {
    "kind": "Estadísticas con garantía de privacidad diferencial",
    "catalogue": "Publicaciones estadísticas",
    "lead": "Todos los números de estas publicaciones contienen ruido, que limita lo que se puede averiguar de una "
    "sola "
    "persona. Cada publicación declara en qué medida, y se puede comprobar.",
    "skip": "Ir al contenido",
    "language": "Idioma",
    "search": "Buscar",
    "search_for": "Palabras",
    "population": "Población",
    "publisher": "Editor",
    "topic": "Tema",
    "since": "Publicada desde",
    "until": "Publicada hasta",
    "any": "cualquiera",
    "find": "Buscar",
    "all_again": "Mostrar todas",
    "found": "Publicaciones encontradas: {count}",
    "none_found": "Ninguna publicación coincide. Pruebe con menos palabras o con otra población.",
    "newer": "Publicaciones más recientes",
    "older": "Publicaciones anteriores",
    "nothing_yet": "Todavía no se ha publicado nada.",
    "published_on": "Publicada el {day}",
    "of_population": "Población: {name}",
    "by_publisher": "Editor: {name}",
    "spending": "Lo que ha gastado cada población",
    "spending_text": "En todas sus publicaciones juntas, según el punto de control del editor del {day}, una "
    "declaración "
    "firmada de su libro mayor.",
    "spending_none": "El editor aún no ha entregado ningún punto de control.",
    "head_population": "Población",
    "head_unit": "Se protege",
    "head_relation": "Tablas vecinas",
    "head_spent": "Gastado",
    "head_cap": "Tope",
    "head_releases": "Publicaciones",
    "add_remove": "añadir o quitar una unidad",
    "substitute": "cambiar una unidad por otra",
    "for_period": "para el período {period}",
    "period_spent": "en el período {period}: ε = {epsilon}, δ = {delta}",
    "loss": "ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{epsilon}, δ\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{delta}",
    "feeds": "Avisos de nuevas publicaciones:",
    "superseded": "Sustituida",
    "erratum": "Fe de erratas",
    "status_superseded": "Sustituida",
    "status_corrected": "Corregida",
    "status_unknown": "Faltan avisos",
    "notices_missing": "El libro mayor del editor enumera avisos sobre esta publicación que esta copia oculta o ha "
    "alterado: {count}. No se fíe de ella sin preguntar antes al editor.",
    "notices_refused": "Junto a esta publicación hay declaraciones que no son de su editor, y no se muestran: {count}.",
    "said_on": "({day})",
    "supersedes": "Esta publicación sustituye a {release}.",
    "by_release": "por {release}",
    "back": "Todas las publicaciones",
    "promise": "Lo que se promete",
    "promise_more": "Los resultados no son exactos: en cada número hay ruido de un tamaño fijado antes de leer ningún "
    "registro. La promesa vale sepa lo que sepa quien los lea, y se haga después lo que se haga con ellos.",
    "contents": "Contenido",
    "results": "Resultados",
    "rows_shown": "Las primeras {rows} de {cells} filas; los archivos las tienen todas.",
    "estimate_of": "Valores: {measure}. Los intervalos acotan solo el ruido: no el muestreo, ni el recorte de "
    "valores o de filas.",
    "values_of": "Valores: {measure}. (u): no se publica ningún intervalo, así que no se sabe cuánto puede desviarse "
    "un valor.",
    "csv": "CSV",
    "sdmx": "SDMX-CSV",
    "chart_svg": "Gráfico",
    "compare_link": "¿Podría una diferencia ser ruido?",
    "no_rows": "No se publica ninguna celda.",
    "withheld_mark": "Retenida",
    "asked": "Lo que el plan exigía de la publicación antes de generar el ruido:",
    "head_asked": "Se exigía",
    "head_found": "Resultado",
    "held": "se cumplió",
    "not_held": "no se cumplió",
    "exactly": "La garantía, con exactitud",
    "loss_head": "Pérdida de privacidad",
    "unit_head": "Unidad de privacidad",
    "relation_head": "Tablas vecinas",
    "groups_head": "Grupos",
    "composition_head": "Composición",
    "spent_head": "Gastado además",
    "population_head": "Población",
    "population_text": "{name}. Su tope: {cap}, para todas las publicaciones juntas, con la misma unidad y las mismas "
    "tablas vecinas.",
    "size_text": "Tamaño declarado: {size}.",
    "where_head": "Registros usados",
    "ledger_head": "Entrada del libro mayor",
    "plan_head": "Plan",
    "made_head": "Hecha con",
    "processing_head": "Posprocesamiento",
    "processing_none": "Ninguno, salvo la aritmética de cada estadística con sus números ruidosos.",
    "processing_steps": "Los recuentos ruidosos se ajustaron para que fueran: {steps}. Los recuentos ruidosos siguen "
    "a su "
    "lado en las tablas.",
    "consistent": "coherentes",
    "nonnegative": "no negativos",
    "integer": "enteros",
    "mechanisms": "Mecanismos",
    "mechanisms_text": "Cada {symbol} es una parte del total de arriba. La escala y la sensibilidad se dan en pasos "
    "de la "
    "menor unidad contada; el error es la mitad de un intervalo del 95 %, en la unidad de la estadística.",
    "head_statistic": "Estadística",
    "head_mechanism": "Mecanismo",
    "head_scale": "Escala",
    "head_sensitivity": "Sensibilidad",
    "head_cells": "Celdas",
    "head_error": "Error",
    "limits": "Lo que no se protege",
    "limits_everyone": "Lo que los resultados dicen de todo el mundo puede servir para suponer algo de una unidad "
    "({unit}), se haya usado o no: sacar conclusiones del conjunto es para lo que sirve una publicación.",
    "as_stated": "Como lo declara el certificado, en inglés:",
    "history": "Erratas y versiones",
    "history_none": "Según el punto de control del editor del {day}, desde que se publicó no se ha dicho nada de ella.",
    "check": "Comprobar esta publicación",
    "check_here": "Comprobarla en este navegador",
    "check_text": "O con dprelease, en su propio equipo, que además vuelve a calcular sensibilidad, pérdida, suma y "
    "tope. "
    "Compare la clave con una que el editor haya dado a conocer en otro lugar:",
    "address": "ADDRESS es la dirección de este sitio; también sirve una carpeta de su propio equipo.",
    "cite": "Citar",
    "cite_as": "En estilo APA",
    "cite_bibtex": "Para BibTeX",
    "cite_datacite": "Para una agencia de registro: {link}",
    "licence": "Licencia",
    "licence_none": "No se declara ninguna licencia: pregunte al editor antes de volver a publicarla.",
    "use_it": "Usarla",
    "use_text": "La primera tabla, leída de donde viene esta página:",
    "files": "Archivos",
    "files_whole": "La publicación en una sola página (en inglés)",
    "files_zip": "Todos los archivos (zip)",
    "certificate": "Certificado",
    "ledger_json": "Lugar en el libro mayor",
    "formats": "Descripciones para programas",
    "made_by": "Hecho con dprelease. Todo resultado publicado es una estimación con ruido.",
    "compare": "¿Podría esta diferencia ser ruido?",
    "compare_lead": "Elija dos celdas, o mire muchas a la vez. La respuesta cuenta el ruido que se añadió, y nada "
    "más: ni "
    "el muestreo, ni lo que cambió en el mundo.",
    "compare_way": "Comparar",
    "way_pair": "dos celdas",
    "way_next": "cada celda con la anterior (una tendencia)",
    "way_all": "la primera celda con todas las demás",
    "compare_first": "Primera celda",
    "compare_second": "Segunda celda",
    "compare_level": "Confianza",
    "compare_do": "Comparar",
    "answer_more": "{first} es mayor que {second}: el ruido por sí solo no lo explica.",
    "answer_less": "{first} es menor que {second}: el ruido por sí solo no lo explica.",
    "answer_noise": "La diferencia entre {first} y {second} podría ser ruido.",
    "answer_same": "Elija dos celdas distintas.",
    "answer_interval": "La diferencia es {value}, con un intervalo del {level} de {lower} a {upper}.",
    "answer_many": "{sure} de {count} diferencias son más que ruido. Todos los intervalos juntos valen con {level}.",
    "answer_many_each": "{sure} de {count} diferencias son más que ruido. Cada intervalo por sí solo vale con {level}; "
    "juntos valen con menos.",
    "answer_fixed": "De estos números solo se publican intervalos del 95 %. Dos de ellos valen juntos con el 90 %, "
    "que es "
    "el nivel de cada respuesta aquí.",
    "answer_none": "De estos números no se publica ningún intervalo, así que no se puede juzgar ninguna diferencia.",
    "answer_large": "Esta tabla tiene demasiadas celdas para esta página: los archivos tienen sus intervalos.",
    "head_compared": "Se comparan",
    "head_difference": "Diferencia",
    "head_interval": "Intervalo",
    "head_answer": "Respuesta",
    "short_more": "mayor",
    "short_less": "menor",
    "short_noise": "podría ser ruido",
    "than": "{first} y {second}",
    "whole_table": "el total",
    "intervals": "Intervalos de cada celda",
    "intervals_text": "En archivos CSV:",
    "compare_method": "Cómo se calcula: el ruido de cada celda es una extracción independiente de una distribución "
    "publicada, de modo que se conoce la distribución de una diferencia. Cuando se comparan muchas, a cada una le toca "
    "su parte del riesgo (Bonferroni). Donde el posprocesamiento cambió los valores, se comparan los ruidosos.",
    "verify": "Comprobar esta publicación en el navegador",
    "verify_lead": "Su navegador vuelve a calcular las sumas de comprobación de todos los archivos, la firma del "
    "editor y "
    "la prueba de que la publicación está en el libro mayor del editor. No se envía nada a ninguna parte.",
    "verify_key": "La clave del editor, obtenida en otro lugar (ed25519:…)",
    "verify_key_help": "De un papel, un artículo, otro sitio. Sin ella la respuesta solo puede ser: íntegra, firmante "
    "desconocido.",
    "verify_served": "Comprobar lo que sirve este sitio",
    "verify_chosen": "O comprobar una carpeta guardada",
    "verify_noscript": "Esta comprobación necesita un script. Sin él, use la orden de abajo, o sha256sum y openssl.",
    "verify_wait": "Comprobando…",
    "verify_not": "Su navegador no puede hacer aquí esta comprobación (hace falta una página segura y Ed25519). Use la "
    "orden de abajo.",
    "verify_offline": "Esta página se abrió desde un archivo, así que no puede leer por sí misma los archivos que "
    "están a "
    "su lado. Elija la carpeta de la publicación.",
    "verify_ok_known": "Íntegra, y firmada con la clave indicada.",
    "verify_ok_unknown": "Íntegra. Está firmada con {key}. De quién es esa clave no lo puede decir esta página: "
    "compárela "
    "con una que el editor haya dado a conocer en otro lugar.",
    "verify_bad": "No use esta copia: {why}",
    "verify_files": "Los {count} archivos de la lista tienen sus sumas de comprobación",
    "verify_signature": "La lista de sumas está firmada con {key}",
    "verify_event": "El evento {seq} del libro mayor declara esta publicación, su día y el hash de sus resultados",
    "verify_charge": "El evento {seq} declara su cargo: el mismo plan, pérdida y suma que el certificado",
    "verify_inclusion": "Ambos están en el libro mayor del punto de control, de {size} eventos, por sus pruebas de "
    "Merkle",
    "verify_rotations": "La clave indicada cedió el paso a la que firma, el {days}",
    "verify_notices": "Avisos sobre esta publicación, firmados por su editor y enumerados en su libro mayor hasta el "
    "{day}: {count}",
    "verify_notices_none": "Hasta el {day} no se dijo nada de esta publicación, según el último punto de control "
    "que hay aquí",
    "verify_notices_apart": "Si se corrigió o se sustituyó desde entonces no lo dice su carpeta: consta en el "
    "sitio de su editor",
    "verify_checkpoint": "El punto de control del {day} está firmado con la misma clave",
    "why_missing": "falta {name}",
    "why_changed": "{name} no es lo que se firmó",
    "why_unlisted": "{name} no está en la lista",
    "why_signature": "la firma no es de la clave que contiene",
    "why_key": "está firmada con otra clave que la indicada (si el editor tiene desde entonces una clave nueva, la "
    "orden de abajo sigue el paso de una a otra)",
    "why_event": "el evento de ledger.json no es el de esta publicación",
    "why_charge": "el cargo de ledger.json no es lo que el certificado dice que se gastó",
    "why_rotations": "las cesiones de una clave a la siguiente en ledger.json no se sostienen",
    "why_no_checkpoint": "aquí no se entrega checkpoint.json, así que nada muestra si se ocultan avisos sobre esta "
    "publicación",
    "why_missing_notices": "aquí se ocultan o se alteraron avisos que el libro mayor del editor enumera sobre esta "
    "publicación ({count})",
    "why_refused_notices": "junto a esta publicación hay avisos que no son de su editor ({count})",
    "why_inclusion": "la prueba no muestra el evento en el libro mayor",
    "why_checkpoint": "el punto de control no está firmado con la misma clave",
    "why_format": "{name} no se puede leer",
    "verify_cannot": "Lo que esto no puede mostrar",
    "cannot_noise": "Que de verdad se extrajo ruido, y una sola vez.",
    "cannot_spent": "Que el presupuesto no se gastó en otro lugar.",
    "cannot_recomputed": "Que sensibilidad, pérdida y suma se siguen del plan: la orden las vuelve a calcular.",
    "cannot_served": "Que esta página es honrada: viene del mismo lugar que la publicación. Una copia de dprelease "
    "obtenida "
    "en otro lugar, no.",
    "cannot_later": "Qué se dijo de la publicación después del último punto de control que hay aquí; de una carpeta "
    "elegida, si se dijo algo.",
}
