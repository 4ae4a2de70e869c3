"""The frame around every page, and errors."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    # Navigation and frame.
    "product": "dprelease",
    "home_nav": "Inicio",
    "datasets_nav": "Datos",
    "columns_nav": "Columnas",
    "plan_nav": "Plan",
    "preview_nav": "Vista previa",
    "publish_nav": "Publicar",
    "review_nav": "Revisión",
    "releases_nav": "Publicaciones",
    "release_nav": "Publicación",
    "ledger_nav": "Libro mayor",
    "footer": "Sesión iniciada como {name}. {sign_out}",
    "footer_public": "Está leyendo como visitante. Las publicaciones se leen sin iniciar sesión. {sign_in}",
    "sign_in": "Iniciar sesión",
    "sign_out": "Cerrar sesión",
    "footer_guide": "Guía",
    "upload_button": "Subir",
    # Errors.
    "mend": "Esto no se puede usar todavía. Todo lo que hay que corregir:",
    "problem": "{path}. Encontrado: {found}. Se admite: {allowed}.",
    "problem_remedy": "{path}. Encontrado: {found}. Se admite: {allowed}. {remedy}",
    "whole_plan": "plan",
    "over_budget": "A la población {population} le queda {remaining} y esto pide {requested}. Reduzca el ε del plan o "
    "quite estadísticas. No se ha gastado nada.",
    "as_it_is": "{text}",
    "no_access": "Esta parte es para quienes han iniciado sesión con la función adecuada. Inicie sesión al pie de la "
    "página, o abra el enlace que le dio quien administra este servidor, y vuelva después. Las publicaciones se leen "
    "sin iniciar sesión.",
    "no_role": "Aquí no puede hacer esto: hace falta otra función, o la decisión de otra persona. Quien administra "
    "este espacio de trabajo puede cambiar las funciones. No se ha cambiado nada.",
    "failed": "Algo ha fallado por nuestra parte. Nada de lo que ha introducido se ha mostrado a nadie, y no se ha "
    "devuelto ni tomado presupuesto sin un asiento en el libro mayor. Inténtelo otra vez; si vuelve a ocurrir, avise a "
    "quien administra este servidor.",
}
