"""What the checks of a plan found, changes between plans, and the policy."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "checks": "Comprobaciones automáticas",
    "checks_caption": "Lo que encontraron las comprobaciones de este plan: {title}",
    "checks_none": "Ninguna de las {count} comprobaciones encontró nada.",
    "checks_others": "Las otras {count} comprobaciones no encontraron nada.",
    "checks_what": "Hallazgo",
    "checks_check": "Comprobación",
    "checks_weight": "Gravedad",
    "checks_blocking": "Así no se puede aprobar. Lo que lo impide está marcado como rechazado, o lo exige la política "
    "de este espacio de trabajo.",
    "severity_notice": "para mirar",
    "severity_serious": "grave",
    "severity_refused": "rechazado",
    "check_name_epsilon": "ε de la publicación",
    "check_name_delta": "δ de la publicación",
    "check_name_delta_and_size": "δ frente al tamaño declarado",
    "check_name_unit": "Unidades permitidas",
    "check_name_row_unit": "Una fila como unidad",
    "check_name_budget": "Presupuesto disponible",
    "check_name_exact_bounds": "Límites",
    "check_name_missing_codes": "Códigos sin respuesta",
    "check_name_noisy_cells": "Celdas y su ruido",
    "check_name_expected": "Filas esperadas",
    "check_name_identifier_keys": "Identificadores entre las claves",
    "check_name_published_before": "Publicado antes",
    "check_name_discovered": "Categorías descubiertas",
    "check_name_free_text": "Texto libre",
    "check_name_after_preview": "Vistas previas",
    "check_name_overlaps": "Otras poblaciones",
    "check_epsilon": "ε = {epsilon} supera el {most} que la política permite en una publicación.",
    "check_delta": "δ = {delta} supera el {most} que la política permite en una publicación.",
    "check_delta_and_size": "δ por el tamaño declarado es {product}, más de {most}: cabría esperar que un fallo de la "
    "garantía afectara a más de esa parte de una unidad ({unit}). Un δ menor lo remedia.",
    "check_delta_and_size_open": "No se puede valorar δ = {delta}: no se ha declarado el tamaño de la población.",
    "check_unit": "Se protege la privacidad de cada {unit}; la política solo permite: {allowed}.",
    "check_row_unit": "La persona responsable hace constar que cada fila es una unidad ({unit}), y hay una columna "
    "{column} que puede identificar a alguien. Si una misma unidad puede tener varias filas, la garantía es más débil "
    "de lo que se declara.",
    "check_row_unit_refused": "La política no permite una fila como unidad: una columna debe decir de qué {unit} es "
    "cada fila.",
    "check_budget": "Cuesta más de lo que queda a {population}; la publicación se rechazaría.",
    "check_exact_bounds": "Un límite de {column} es {bound}, que nadie diría sin haber visto la tabla. Los límites "
    "vienen del conocimiento general.",
    "check_missing_codes_within": "Hay códigos sin respuesta de {column} entre sus límites: {codes}. Quien tenga ese "
    "valor cuenta como si no hubiera respondido.",
    "check_missing_codes_where": "Las filas se eligen por {column}, que tiene códigos sin respuesta: las filas con un "
    "código no se eligen nunca, salvo que cuenten como un valor declarado.",
    "check_noisy_cells": "En {statistic} cabe esperar {expected} registros de media en cada celda, con un error de "
    "{error}: la mayoría de las celdas mostrarían ruido. Menos celdas, o más presupuesto, lo remedian.",
    "check_expected": "Sin filas esperadas no se pueden prever los errores de: {statistics}.",
    "check_identifier_keys": "{column} parece un identificador, y es clave de una tabla publicada.",
    "check_identifier_keys_many": "{column} tiene {count} categorías, tantas que pueden distinguir a las personas, y "
    "es clave de una tabla publicada.",
    "check_published_before": "{statistic} pregunta lo que ya se publicó en {title}. Dos sorteos de lo mismo dicen más "
    "que uno, y ambos se pagan.",
    "check_discovered": "Las categorías de {column} se publican como están en las filas, donde hay suficientes filas. "
    "Podrían ser nombres.",
    "check_free_text_title": "El título contiene números ({numbers}). Se publica tal cual: ¿son públicos?",
    "check_free_text_description": "La descripción contiene números ({numbers}). Se publica tal cual: ¿son públicos?",
    "check_after_preview_plan": "Se tomó una vista previa de otro plan de esta población antes de enviar este. El "
    "certificado lo dice.",
    "check_after_preview_schema": "Se declararon columnas después de una vista previa con valores verdaderos de esta "
    "población. El certificado lo dice.",
    "check_overlaps": "De otras poblaciones ({count}) nadie ha hecho constar si tienen unidades en común con esta.",
    "changes": "Cambios frente al último plan aprobado",
    "changes_against": "Comparado con {title}, que aprobó {approver} el {on}.",
    "changes_first": "Antes no se aprobó ningún plan de este conjunto de datos.",
    "changes_none": "Es igual, palabra por palabra.",
    "changes_caption": "Cambios: {title}",
    "change_what": "Dónde",
    "change_before": "Antes",
    "change_after": "Ahora",
    "change_absent": "no estaba",
    "policy": "Política de este espacio de trabajo",
    "policy_note": "Está en el archivo policy.yaml, en la carpeta del espacio de trabajo, y se lee en cada revisión.",
    "policy_epsilon": "ε de una publicación, como máximo",
    "policy_delta": "δ de una publicación, como máximo",
    "policy_units": "Unidades permitidas",
    "policy_row_unit": "Una fila como unidad",
    "policy_delta_times_size": "δ por tamaño declarado, como máximo",
    "policy_required": "Comprobaciones obligatorias",
    "policy_open": "según el tope de la población",
    "policy_any": "cualquiera",
    "policy_allowed": "donde la persona responsable lo hace constar",
    "policy_refused": "no se permite",
    "policy_nothing": "sin límite",
    "remarks": "Comentarios sobre estadísticas concretas",
    "remarks_which": "¿Sobre qué estadísticas?",
    "remarks_note": "Vuelven a quien lo escribió junto con el plan, y quedan en el libro mayor.",
    "remarks_on": "{statistic}: {text}",
    "delegate": "Pedir la decisión a otra persona",
    "delegate_to": "¿A quién?",
    "delegate_to_help": "Personas invitadas como revisoras. Quien puede decidir sigue pudiendo.",
    "delegate_comment": "¿Para qué?",
    "delegate_none": "No se ha invitado a nadie más a revisar.",
    "delegate_save": "Pedir",
    "delegated": "Se ha pedido a {name} que decida sobre {title}.",
    "delegation": "{by} pidió a {to} que decidiera, el {on}.",
    "delegation_comment": "{by} pidió a {to} que decidiera, el {on}: {comment}",
}
