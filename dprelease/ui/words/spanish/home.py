"""The first page."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "home_title": "Estadísticas que respetan la privacidad",
    "home_lead": "Publique números sobre un grupo de personas con una garantía, que cualquiera puede comprobar, de lo "
    "poco que revelan de cada una de ellas.",
    "next_step": "Siguiente paso",
    "next_population": "Diga de quién es la privacidad que está en juego y cuánta se puede gastar en total.",
    "next_dataset": "Añada la tabla confidencial. Se queda en la carpeta privada de esta instalación.",
    "next_columns": "Declare las columnas de {dataset}: sus tipos, límites y categorías.",
    "next_plan": "Elija qué se publica y vea cuánto se desviaría antes de gastar nada.",
    "next_draft": "Tiene un plan a medias. Continúe con él.",
    "go_population": "Registrar una población",
    "go_dataset": "Añadir un conjunto de datos",
    "go_columns": "Declarar columnas",
    "go_plan": "Hacer un plan",
    "go_draft": "Continuar con el plan",
    "review_waits": "Pendiente de revisión: {plans}; {requests}.",
    "plans_one": "1 plan",
    "plans_many": "{count} planes",
    "requests_one": "1 solicitud",
    "requests_many": "{count} solicitudes",
    "go_review": "Revisar",
    "holds": "Qué hay aquí",
    "holds_populations": "Poblaciones",
    "holds_datasets": "Conjuntos de datos",
    "holds_releases": "Publicaciones",
    "latest": "Últimas publicaciones",
    "how_it_works": "Cómo funciona",
    "how_1": "La persona responsable de los datos declara hechos públicos sobre una tabla confidencial y elige "
    "estadísticas.",
    "how_2": "A cada estadística se le añade ruido al azar, medido de modo que una persona más o menos apenas cambia "
    "lo que es probable que salga.",
    "how_3": "Cada publicación se carga a un presupuesto que pertenece a las personas de la tabla, y va firmada, de "
    "modo que cualquiera puede comprobarla después solo con los archivos descargados.",
    "how_to_sign_in": "Para iniciar sesión",
    "how_to_sign_in_text": "Con nombre y contraseña, o con un enlace, que funciona una sola vez, durante una hora. "
    "Quien administra este servidor da esos enlaces; el primero lo muestra en la terminal el comando dprelease serve.",
    "all_releases": "Todas las publicaciones",
}
