"""La vista previa."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "preview_title": "Vista previa",
    "preview_lead": "Lo que mostraría este plan, antes de gastar nada. Ningún sorteo simulado se publica nunca.",
    "preview_watermark": "Vista previa: valores verdaderos, no compartir",
    "preview_watermark_blind": "Vista previa de filas inventadas: nada de esto se leyó de la tabla",
    "preview_warning": "Elegir límites, tramos o estadísticas después de ver valores verdaderos queda fuera de la "
    "garantía. La publicación dirá que el plan se cambió tras una vista previa, y quien lo revise verá qué se "
    "cambió. Esta página solo la ve quien la abre; el libro mayor anota que se miró, y qué plan.",
    "preview_warning_blind": "En este espacio de trabajo las vistas previas no leen ninguna fila. Lo que ocupa el "
    "lugar de los valores verdaderos se inventa a partir de las columnas declaradas, con cada valor declarado casi "
    "la misma cantidad de veces, y no dice nada de nadie.",
    "preview_no_plan": "Aún no hay ningún plan. Primero se eligen las estadísticas y un ε; después se mira aquí "
    "cuánto las movería el ruido.",
    "preview_bad_plan": "El plan aún no está completo. Su página dice qué falta.",
    "preview_none": "Las vistas previas están desactivadas en este espacio de trabajo: nadie ve valores verdaderos, "
    "ni antes ni después de una publicación.",
    "preview_none_instead": "La página del plan dice qué error se espera en cada estadística. No hace falta nada más "
    "para publicar.",
    "preview_take": "Mostrar valores verdaderos y simulados",
    "preview_take_blind": "Mostrar valores inventados y simulados",
    "preview_take_help": "No gasta nada ni guarda ningún valor. Lo que muestra se olvida al salir de la página.",
    "preview_taking": "Contando las filas y simulando el ruido",
    "preview_taking_blind": "Inventando filas y simulando el ruido",
    "preview_drawing": "Sorteando el ruido",
    "preview_invented": "Inventadas: {rows} filas, tantas como espera el plan si lo dice.",
    "preview_view": "Qué mirar",
    "preview_view_help": "Los mismos sorteos, vistos de distintas maneras. Cambiar de vista no sortea nada de nuevo.",
    "view_beside": "Verdadero junto a simulado",
    "view_beside_blind": "Inventado junto a simulado",
    "view_outcomes": "Lo que podrían ver los lectores",
    "view_sources": "De dónde viene el error",
    "preview_draw": "Sorteo simulado {number} de {count}. Lo que se publique después será otro distinto.",
    "preview_next": "Otro sorteo",
    "preview_next_six": "Otros seis sorteos",
    "preview_page": "Estadísticas",
    "preview_page_of": "{first} a {last} de {count}",
    "preview_caption": "{question} Valores verdaderos y simulados.",
    "preview_caption_blind": "{question} Valores inventados y simulados.",
    "preview_cells": "Las primeras {shown} de {cells} filas.",
    "preview_agreement": "En {hits} de {draws} sorteos todas las respuestas son las verdaderas.",
    "preview_agreement_blind": "En {hits} de {draws} sorteos todas las respuestas son las de las filas inventadas.",
    "preview_rule": "Poco fiables en este sorteo: {count} de {cells}. Así se llama a un número cuando la mitad de su "
    "intervalo del 95 % supera la mitad del valor, o cuando el intervalo llega a cero o menos.",
    "mark": "Marca",
    "unreliable": "poco fiable",
    "true": "Verdadero",
    "true_blind": "Inventado",
    "noisy": "Simulado",
    "interval": "Intervalo del 95 %",
    "chart_alt": "{question} Valores verdaderos en contorno azul, valores simulados en naranja con sus intervalos. La "
    "tabla de abajo tiene los mismos números.",
    "chart_alt_blind": "{question} Valores inventados en contorno azul, valores simulados en naranja con sus "
    "intervalos. La tabla de abajo tiene los mismos números.",
    "series_true": "Valor verdadero (hueco)",
    "series_true_blind": "Valor inventado (hueco)",
    "series_noisy": "Publicación simulada (relleno, con intervalo del 95 %)",
    "series_true_line": "Valor verdadero (discontinuo)",
    "series_true_line_blind": "Valor inventado (discontinuo)",
    "series_noisy_line": "Publicación simulada (con banda del 95 %)",
    "series_noisy_plain": "Publicación simulada (relleno)",
    "alike": "Sorteos con la respuesta verdadera",
    "alike_blind": "Sorteos con la misma respuesta",
    "percent": "{number} %",
    "percent_range": "{low} a {high} %",
    "percent_margin": "± {number} %",
    "not_there": "no está",
    "true_count": "Recuento verdadero",
    "true_count_blind": "Recuento inventado",
    "noisy_count": "Recuento simulado",
    "noisy_raw": "Simulado, antes del ajuste posterior",
    "range_low": "95 % de los sorteos desde",
    "range_high": "hasta",
    "error_map_title": "¿Qué fiabilidad tiene cada celda en este sorteo?",
    "error_map_legend": "Mitad del intervalo del 95 %, como parte del valor simulado",
    "error_map_alt": "{question} Un mapa de las celdas: cuanto más oscura, mayor es la mitad del intervalo del 95 % "
    "junto al valor simulado. La tabla de arriba tiene los intervalos.",
    "error_low": "hasta 10 %",
    "error_middle": "de 10 a 25 %",
    "error_high": "de 25 a 50 %",
    "error_worst": "más de 50 %: poco fiable",
    "outcomes_lead": "Quien lee ve un solo sorteo y no puede saber cuál. Estos son algunos de {count} simulados: una "
    "conclusión que no todos sostienen no es segura.",
    "outcomes_alt": "{question} Sorteos simulados del {first} al {last}, uno junto a otro, cada uno como podrían "
    "verlo los lectores.",
    "outcome": "Sorteo {number}",
    "dots_cell": "Un número, como veinte puntos igual de probables",
    "dots_alt": "{question} {dots} resultados igual de probables como puntos, todos menos dos entre {low} y {high}, y "
    "el valor sin ruido como línea discontinua.",
    "dots_read": "Cada punto es tan probable como cualquier otro: {inside} de {dots} están entre {low} y {high}.",
    "ranks_title": "¿Se mantiene el orden de los {count} más altos?",
    "ranks_changed": "En {hits} de {draws} sorteos su orden es otro (entre el {low} y el {high} % de todos los "
    "sorteos posibles).",
    "ranks_caption": "{question} Con qué frecuencia se intercambian los vecinos en el orden.",
    "ranks_higher": "Más alto sin ruido",
    "ranks_lower": "El siguiente",
    "ranks_swapped": "Sorteos que los intercambian o igualan",
    "simulation_error": "Error de simulación",
    "survival_title": "¿Se mantendría una conclusión?",
    "survival_first": "Comparar",
    "survival_second": "con",
    "survival_same": "Hay que elegir dos distintos.",
    "survival_text": "{higher} es en verdad mayor que {lower}. También lo dicen {hits} de {draws} sorteos: entre el "
    "{low} y el {high} % de todos los posibles.",
    "survival_text_blind": "En las filas inventadas {higher} es mayor que {lower}. También lo dicen {hits} de {draws} "
    "sorteos: entre el {low} y el {high} % de todos los posibles.",
    "survival_equal_text": "{higher} y {lower} son en verdad iguales. También lo dicen {hits} de {draws} sorteos: "
    "entre el {low} y el {high} % de todos los posibles.",
    "survival_equal_text_blind": "En las filas inventadas {higher} y {lower} son iguales. También lo dicen {hits} de "
    "{draws} sorteos: entre el {low} y el {high} % de todos los posibles.",
    "answers_caption": "{question} Lo que responden los sorteos.",
    "answers_head": "Respuesta",
    "answers_share": "Sorteos",
    "answers_true": "Verdadera",
    "answers_true_blind": "Inventada",
    "sources_warning": "Estos recuentos también son valores verdaderos. Donde los límites pesan más que el ruido, "
    "conviene volver a pensar qué se sabe en general de la columna; unos límites ajustados a las filas dicen algo de "
    "las filas.",
    "sources_rows": "Filas de las que trata el plan",
    "sources_unidentified": "Excluidas: no dicen de quién son",
    "sources_cut": "Excluidas: más filas de una unidad de las que usa el plan",
    "sources_kept": "Usadas",
    "sources_caption": "Cuántas filas cambia o excluye cada columna",
    "sources_column": "Columna",
    "sources_below": "Bajo el límite inferior",
    "sources_above": "Sobre el límite superior",
    "sources_undeclared": "Categoría no declarada",
    "sources_coded": "Código sin respuesta",
    "sources_missing": "Sin valor",
    "sources_stray": "{stray} filas quedan fuera de los límites de {column}, y cuentan como un límite. Si allí un "
    "código significa que no hay respuesta, declárelo; el libro mayor recuerda que antes se vieron valores verdaderos.",
    "sources_of": "De {rows} filas. Los valores fuera de los límites cuentan como el límite más cercano, o como si no "
    "hubiera valor donde así se declara; las categorías no declaradas cuentan como otras, o se excluyen.",
    "sources_where": "Las columnas por las que se eligen filas no se miran más allá de sus límites.",
    "sources_table": "{question} De dónde viene el error.",
    "sources_words": "Sus respuestas son palabras: no hay error que repartir.",
    "sources_unknown": "Nada aparta estos números de la verdad.",
    "sources_largest_noise": "El ruido es la mayor parte del error. Lo reducen una parte mayor de ε, menos celdas o "
    "límites más estrechos.",
    "sources_largest_clipping": "Los límites son la mayor parte del error: mueven el número siempre en el mismo "
    "sentido, y ningún intervalo lo muestra. Unos límites más amplios lo reducen y aumentan el ruido.",
    "sources_largest_cutting": "Excluir filas es la mayor parte del error: mueve el número siempre en el mismo "
    "sentido, y ningún intervalo lo muestra. Más filas de cada unidad lo reducen y aumentan el ruido.",
    "sources_mostly_noise": "El ruido es la mayor parte del error en {count} de {cells} celdas. Lo reducen una parte "
    "mayor de ε, menos celdas o límites más estrechos.",
    "sources_mostly_clipping": "Los límites son la mayor parte del error en {count} de {cells} celdas: mueven los "
    "números siempre en el mismo sentido, y ningún intervalo lo muestra. Unos límites más amplios lo reducen y "
    "aumentan el ruido.",
    "sources_mostly_cutting": "Excluir filas es la mayor parte del error en {count} de {cells} celdas: mueve los "
    "números siempre en el mismo sentido, y ningún intervalo lo muestra. Más filas de cada unidad lo reducen y "
    "aumentan el ruido.",
    "sources_quantiles": "Los límites mueven un cuantil solo cuando queda fuera de ellos: entonces se queda en el "
    "límite.",
    "sources_no_clipping": "Lo que añaden los límites se calcula para sumas y medias; la tabla de arriba dice cuántos "
    "valores quedan fuera.",
    "part_cell": "Número",
    "part_noise": "Ruido, 95 % de los sorteos",
    "part_clipping": "Añaden los límites",
    "part_cutting": "Añaden las filas excluidas",
    "part_largest": "Lo mayor",
    "largest_noise": "ruido",
    "largest_clipping": "límites",
    "largest_cutting": "filas excluidas",
    "unknown": "desconocido",
    "policy_previews": "Lo que pueden mostrar las vistas previas en este espacio de trabajo",
    "policy_previews_ask": "Las vistas previas muestran",
    "previews_true": "Valores verdaderos",
    "previews_true_help": "Se ven los valores de la propia tabla junto a los simulados. Cada mirada queda en el libro "
    "mayor.",
    "previews_blind": "Valores inventados",
    "previews_blind_help": "No se lee ninguna fila. Se ve una tabla inventada a partir de las columnas declaradas.",
    "previews_none": "Nada",
    "previews_none_help": "La página queda cerrada. Los errores se prevén solo a partir del plan.",
    "policy_save": "Decidirlo así desde ahora",
    "policy_saved": "Decidido y anotado en el libro mayor. Las vistas previas muestran: {policy}.",
}
