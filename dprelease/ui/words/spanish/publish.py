"""Publicar."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "publish_title": "Publicar",
    "publish_lead": "Publicar gasta el presupuesto para siempre y hace público un sorteo con ruido. Nada de eso se "
    "puede deshacer.",
    "publish_no_plan": "No hay ningún plan abierto. Cuando lo haya, esta página dirá qué se publicaría, "
    "cuánto cuesta y qué queda disponible, antes de gastar nada.",
    "publish_bad_plan": "El plan aún no está completo. Su página dice qué falta.",
    "publish_summary": "Qué va a ocurrir",
    "publish_what": "Qué se publica",
    "publish_what_text": "{title}: {statistics} sobre {dataset}",
    "publish_what_more": "y {count} más",
    "statistics_one": "1 estadística",
    "statistics_many": "{count} estadísticas",
    "publish_whose": "La privacidad de quién",
    "publish_whose_text": "Cada {unit} de {population}: {unit_is}",
    "publish_cost": "Cuánto cuesta",
    "publish_means": "Qué promete eso",
    "publish_after": "Qué queda disponible",
    "publish_after_text": "{left} de un tope de {cap}. Publicaciones de esta población hasta entonces: {releases}",
    "publish_who": "Quién lo verá",
    "publish_who_text": "Toda persona que pueda llegar a este servidor, sin iniciar sesión. Lo aprueba una sola "
    "persona (espacio individual).",
    "publish_who_team": "Toda persona que pueda llegar a este servidor, sin iniciar sesión. Antes lo aprueba otra "
    "persona.",
    "publish_previews": "Qué se dice de las vistas previas",
    "publish_previews_none": "Antes de esta publicación no se vieron valores verdaderos de esta población.",
    "publish_previews_unchanged": "Se vieron valores verdaderos de esta población; después no se cambiaron ni el plan "
    "ni las columnas.",
    "publish_previews_plan": "El plan se hizo o se cambió después de ver valores verdaderos de esta población. Lo que "
    "revele esa elección queda fuera de la garantía.",
    "publish_previews_schema": "Las columnas se declararon después de ver valores verdaderos de esta población. Lo "
    "que revele esa elección queda fuera de la garantía.",
    "publish_previews_plan_and_schema": "El plan y las columnas se hicieron o se cambiaron después de ver valores "
    "verdaderos de esta población. Lo que revelen esas elecciones queda fuera de la garantía.",
    "publish_policy_blind": "Las vistas previas de este espacio de trabajo solo muestran filas inventadas.",
    "publish_policy_none": "Las vistas previas están desactivadas en este espacio de trabajo.",
    "publish_statistics": "Cada estadística con su mecanismo y su error esperado",
    "publish_review": "Revisión",
    "publish_submit_text": "Otra persona tiene que aprobar este plan a este precio antes de que se pueda publicar.",
    "publish_submit": "Enviar a revisión",
    "publish_submitted": "{title} se ha enviado. Quien lo revise lo encuentra en la página Revisión.",
    "publish_waits": "Enviado por {author} el {on}. Espera la aprobación de otra persona.",
    "publish_returned": "Devuelto por {name} el {on}: {comment}",
    "publish_returned_text": "Cambie lo que se dijo y envíe aquí el plan cambiado. Sin cambios, no se admite.",
    "publish_approved": "Aprobado por {name} el {on}. Se puede publicar una vez.",
    "publish_lapsed": "La aprobación ha caducado: {reason}. Quien lo revise encuentra el plan en la página Revisión y "
    "puede aprobarlo otra vez.",
    "own_plans": "Sus planes enviados",
    "own_plans_more": "{count} más, enviados antes.",
    "own_plan_meta": "Sobre {dataset}. Enviado el {on}.",
    "own_waits": "Espera la aprobación de otra persona.",
    "own_ready": "Se puede publicar.",
    "own_stale": "Las filas de {dataset} se han sustituido desde entonces. Envíelo otra vez para las actuales.",
    "own_change": "Cambiar el plan",
    "own_open": "Abrir",
    "own_publish": "Ir a publicar",
    "own_columns": "Este plan declara columnas de otro modo que {dataset} ahora: {columns}. Están en su archivo.",
    "publish_replaces": "Ocupa el lugar de una publicación anterior",
    "publish_supersedes": "¿Qué publicación reemplaza?",
    "publish_supersedes_help": "La anterior permanece, con un aviso firmado que remite a la nueva.",
    "publish_supersedes_one": "{title}, {on}",
    "publish_supersedes_none": "Todavía no hay ninguna publicación de esta población.",
    "publish_unfinished": "El presupuesto ya se ha cargado para este plan y no se ha publicado nada: algo lo detuvo "
    "por el camino. Terminar no gasta nada más.",
    "publish_finish": "Terminar la publicación",
    "publish_confirm": "Para gastar ε = {epsilon} y publicar, escriba el título: {title}",
    "publish_confirm_help": "Letra por letra, también las mayúsculas; los espacios alrededor no importan. No se gasta "
    "nada hasta que coincida.",
    "publish_button": "Publicar y gastar ε = {epsilon}",
    "publish_mismatch": "Lo escrito no es el título, {title}. No se ha gastado nada.",
    "publish_checking": "Comprobando que el plan se puede responder",
    "publish_waiting": "Cargando el presupuesto, sorteando el ruido una sola vez, sellando, escribiendo los archivos",
    "publish_going_on": "Se está publicando",
    "publish_going_on_text": "Se puede salir de esta página o volver a cargarla: todo sigue igual, y el cargo es uno "
    "solo.",
    "step_charging": "Cargar el presupuesto",
    "step_drawing": "Contar las filas y sortear el ruido, una sola vez",
    "step_sealing": "Sellar el sorteo",
    "step_writing": "Escribir y firmar los archivos",
    "state_done": "hecho",
    "state_now": "ahora",
    "state_later": "pendiente",
    "publish_done": "{title} está publicado.",
    "publish_already": "Este plan ya se ha publicado para estas filas. Publicarlo otra vez gastaría ε = {epsilon} de "
    "nuevo y haría público un segundo sorteo; dos sorteos juntos dicen más que uno.",
    "publish_again": "Publicar otra vez",
    "publish_again_confirm": "Para gastar ε = {epsilon} una vez más, escriba el título: {title}",
    "publish_again_button": "Gastar ε = {epsilon} otra vez",
}
