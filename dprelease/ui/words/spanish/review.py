"""The page of reviewers."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "review_title": "Revisión",
    "review_lead": "Lo que espera una decisión. Aquí no hay ningún valor verdadero ni ninguna vista previa: un plan se "
    "juzga por lo que publicaría y por su precio.",
    "review_plans": "Planes",
    "review_plans_none": "Ningún plan espera una decisión. Los que se envíen aparecerán aquí: qué publicarían, qué "
    "encontraron las comprobaciones y cuánto cuestan.",
    "review_plans_more": "Esperan {count} planes más; aparecerán cuando se decida sobre estos.",
    "review_requests": "Solicitudes",
    "review_requests_none": "Ninguna solicitud espera una decisión.",
    "review_meta": "Enviado por {author} el {on}. Conjunto de datos {dataset} de {population}; una unidad es "
    "{unit_is}.",
    "review_rows_used": "Solo se usan estas filas: {rows}.",
    "review_asks": "Lo que publicaría",
    "review_previews_none": "No se ha tomado ninguna vista previa de esta población.",
    "review_previews_one": "De esta población se ha tomado 1 vista previa; el libro mayor dice cuándo y quién la tomó.",
    "review_previews_many": "De esta población se han tomado {count} vistas previas; el libro mayor dice cuándo y "
    "quién las tomó.",
    "review_lapsed": "Estaba aprobado, y la aprobación ya no vale: {reason}.",
    "review_stale": "Las filas de {dataset} se reemplazaron después de enviarlo. Hay que enviarlo otra vez para las "
    "filas nuevas; este solo se puede devolver.",
    "review_own": "Lo ha escrito usted. Tiene que decidir otra persona.",
    "review_own_request": "Lo ha solicitado usted. Tiene que decidir otra persona.",
    "review_bound": "Para qué vale una aprobación",
    "review_bound_note": "Cuando cambia algo de esto, la aprobación caduca.",
    "review_bound_once": "Cuando cambia algo de esto, la aprobación caduca. Vale para una sola publicación.",
    "review_bound_plan": "Plan",
    "review_bound_rows": "Filas",
    "review_bound_rows_text": "versión {version}",
    "review_bound_columns": "Columnas",
    "declared_columns_one": "1 columna declarada",
    "declared_columns_many": "{count} columnas declaradas",
    "review_bound_unit": "Unidad",
    "review_bound_cap": "Tope",
    "review_bound_price": "Precio",
    "review_file": "El plan completo",
    "review_decisions": "Decisiones hasta ahora: {title}",
    "decision_what": "Decisión",
    "decision_approved": "aprobado",
    "decision_returned": "devuelto",
    "review_comment": "Comentario",
    "review_comment_help": "Necesario para devolverlo. Queda en el libro mayor.",
    "review_approve": "Aprobar",
    "review_return": "Devolver",
    "review_approved": "{title} está aprobado.",
    "review_returned": "{title} se ha devuelto a {author}.",
    "review_needs_comment": "Diga por qué se devuelve.",
    "review_a_comment": "un comentario",
    "review_again": "Otra publicación de un plan ya publicado",
    "review_again_note": "Una aprobación vale para una sola publicación. Para que el ruido se sortee otra vez, al "
    "precio completo, apruebe el plan de nuevo.",
    "review_again_holds": "Está aprobado: se puede publicar una vez más.",
    "review_again_plan": "Plan publicado",
    "review_plan_by": "{title}, de {author}, el {on}",
    "review_cap_now": "Tope actual",
    "review_cap_asked": "Tope solicitado",
    "review_spent": "Gastado hasta ahora",
    "review_period": "Periodo",
    "review_reason": "Motivo",
    "review_currency": "Lo que se suma de las publicaciones",
    "review_overlaps": "En común con otras",
    "review_overlap": "{other}: {overlap}",
    "review_earlier": "Publicaciones anteriores sin esta garantía",
    "review_asked": "Solicitado por {author} el {on}.",
    "none": "ninguno",
    "since_previews": "Cambiado después de ver valores verdaderos",
    "since_last_nothing": "Es el plan de la última vista previa, de {name}, el {on}.",
    "since_last_changed": "La última vista previa antes del envío es de {name}, del {on}. Desde entonces se "
    "cambió esto:",
    "since_last_unknown": "La última vista previa antes del envío es de {name}, del {on}, con una versión "
    "anterior que no guardaba el plan.",
    "since_last_caption": "Cambiado desde la última vista previa: {title}",
    "since_first_nothing": "Es también el plan de la primera vista previa, de {name}, el {on}.",
    "since_first_changed": "La primera vista previa de esta población es de {name}, del {on}. Desde entonces "
    "se cambió esto:",
    "since_first_unknown": "La primera vista previa de esta población es de {name}, del {on}, con una "
    "versión anterior que no guardaba el plan.",
    "since_first_caption": "Cambiado desde la primera vista previa: {title}",
}
