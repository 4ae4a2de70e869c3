"""The words of the pages that are served outside the dashboard."""

from __future__ import annotations

from collections.abc import Mapping

from dprelease.model.language import Words

ENGLISH: Mapping[str, str] = {
    "product": "dprelease",
    "home": "Go to the dashboard",
    "guide": "The guide",
    "bad_link_title": "This sign-in link does not work",
    "bad_link_text": "A link works once, within an hour. Whoever runs the server gets a new one in the terminal, with: "
    "dprelease serve",
    "link_title": "Sign in as {name}?",
    "link_text": "This link signs you in, once. Go on only if you are {name}, and asked for it.",
    "sign_in_title": "Sign in",
    "sign_in_text": "For curators and reviewers. Published releases need no sign-in. Without a password yet? Whoever "
    "runs the server can give you a link.",
    "sign_in_button": "Sign in",
    "sign_in_provider": "Sign in with your organisation",
    "sign_in_refused": "This name and password do not fit, or the account has to wait after several wrong ones.",
    "code_title": "One more step",
    "code_text": "Open the authenticator on your phone and type the code that it shows for dprelease.",
    "code": "Code",
    "code_refused": "This code does not fit, was used already, or the account has to wait after several wrong ones. "
    "Wait for the next one, and try that.",
    "code_lost": "Without your phone, type one of your recovery codes. If you have none either, an administrator can "
    "reset your sign-in.",
    "code_anew": "Sign in with another name",
    "provider_failed_title": "Your organisation did not sign you in",
    "provider_failed_text": "Nothing was changed. Try again from the sign-in page; where it goes on like this, whoever "
    "runs the server finds the reason in its log.",
    "no_role_title": "Signed in, but without a role here",
    "no_role_text": "Your organisation knows you; none of your groups there has a role in this workspace. Ask whoever "
    "runs the server. Published releases need no sign-in.",
    "name": "Name",
    "password": "Password",
    "too_often_title": "Too many tries",
    "too_often_text": "Wait a minute, then try again.",
    "elsewhere_title": "This form was sent from another place",
    "elsewhere_text": "Open the sign-in page of this server, and send it from there.",
    "sign_out_title": "Sign out?",
    "sign_out_text": "Your session ends at once, in every window. Drafts stay as they were saved.",
    "sign_out_button": "Sign out",
    "stay": "Stay signed in",
    "no_access_title": "This is for people who are signed in",
    "no_access_text": "Open the sign-in link that whoever runs this server can print, then come back.",
    "missing_title": "There is no such page",
    "missing_text": "The address may be mistyped, or what it named was never published.",
    "not_found": "Nothing is published at this address.",
    "not_allowed": "This address can be read only: use GET or HEAD.",
    "damaged_title": "This release is not shown",
    "damaged": "The files of this release are not what was signed, so they are not served. Whoever runs the server "
    "should restore them.",
    "upload_title": "Bring a large table",
    "upload_text": "The file goes to the private folder of this server as it is, and is read there. Keep this page "
    "open until it has arrived; the dashboard goes on meanwhile.",
    "upload_label": "CSV, TSV, Excel, SPSS, Stata, JSON Lines or Parquet, at most 16 GB",
    "upload_button": "Send the file",
    "upload_none": "Choose a file first.",
    "upload_sent": "{percent} % sent",
    "upload_ending": "All of it is sent. The server takes it over.",
    "upload_failed": "The file did not arrive, and nothing of it is kept. Try again.",
    "upload_too_large": "At most 16 GB are taken, and nothing of this file is kept. As Parquet it is smaller.",
    "upload_too_many": "Too many files wait already. Register or delete some of them first.",
    "upload_no_room": "There is too little room on the server's disk for this file: it takes three times its size. "
    "Whoever runs this server can make room.",
    "upload_unannounced": "The file is not taken: its size has to be announced by a Content-Length.",
    "upload_noscript": "Sending a large file takes the script of this page, which this browser does not run. Whoever "
    "runs the server can allow a folder on it instead.",
    "upload_back": "Back to the datasets",
    "wrong_host": "This server does not answer to that name.",
    "failed": "Something went wrong on this server. Nothing about it is shown here; its log says where.",
}
SPANISH: Mapping[str, str] = {
    "product": "dprelease",
    "home": "Ir al panel",
    "guide": "La guía",
    "bad_link_title": "Este enlace para iniciar sesión no funciona",
    "bad_link_text": "Cada enlace funciona una sola vez, durante una hora. Quien administra el servidor obtiene uno "
    "nuevo en la terminal, con: dprelease serve",
    "link_title": "¿Iniciar sesión como {name}?",
    "link_text": "Este enlace inicia su sesión una sola vez. Siga solo si usted es {name} y lo ha pedido.",
    "sign_in_title": "Iniciar sesión",
    "sign_in_text": "Para responsables de los datos y quienes revisan. Las publicaciones se leen sin iniciar sesión. "
    "¿Aún no tiene contraseña? Quien administra el servidor puede darle un enlace.",
    "sign_in_button": "Iniciar sesión",
    "sign_in_provider": "Iniciar sesión con su organización",
    "sign_in_refused": "Este nombre y esta contraseña no corresponden, o la cuenta tiene que esperar tras varios "
    "intentos.",
    "code_title": "Un paso más",
    "code_text": "Abra la aplicación de autenticación de su teléfono y escriba el código que muestra para dprelease.",
    "code": "Código",
    "code_refused": "Este código no corresponde, ya se usó, o la cuenta tiene que esperar tras varios intentos. Espere "
    "al siguiente y pruebe con él.",
    "code_lost": "Si no tiene el teléfono, escriba uno de sus códigos de recuperación. Si tampoco tiene ninguno, quien "
    "administra puede restablecer su acceso.",
    "code_anew": "Iniciar sesión con otro nombre",
    "provider_failed_title": "Su organización no ha podido iniciar su sesión",
    "provider_failed_text": "No ha cambiado nada. Vuelva a intentarlo desde la página de inicio de sesión; si sigue "
    "ocurriendo, quien administra el servidor encontrará el motivo en su registro.",
    "no_role_title": "Identidad confirmada, pero sin función aquí",
    "no_role_text": "Su organización confirma quién es, pero ninguno de sus grupos tiene una función en este espacio "
    "de trabajo. Consulte a quien administra el servidor. Las publicaciones se leen sin iniciar sesión.",
    "name": "Nombre",
    "password": "Contraseña",
    "too_often_title": "Demasiados intentos",
    "too_often_text": "Espere un minuto y vuelva a intentarlo.",
    "elsewhere_title": "Este formulario se envió desde otro sitio",
    "elsewhere_text": "Abra la página de inicio de sesión de este servidor y envíelo desde allí.",
    "sign_out_title": "¿Cerrar la sesión?",
    "sign_out_text": "La sesión termina enseguida, en todas las ventanas. Los borradores quedan como se guardaron.",
    "sign_out_button": "Cerrar sesión",
    "stay": "Seguir con la sesión abierta",
    "no_access_title": "Esto es para personas que han iniciado sesión",
    "no_access_text": "Abra el enlace de inicio de sesión que puede imprimir quien administra este servidor, y vuelva.",
    "missing_title": "Esta página no existe",
    "missing_text": "Puede que la dirección esté mal escrita, o que lo que nombra no se haya publicado nunca.",
    "not_found": "No hay nada publicado en esta dirección.",
    "not_allowed": "Esta dirección es solo de lectura: use GET o HEAD.",
    "damaged_title": "Esta publicación no se muestra",
    "damaged": "Los archivos de esta publicación no son los que se firmaron, y por eso no se sirven. Quien administra "
    "el servidor debería restaurarlos.",
    "upload_title": "Subir una tabla grande",
    "upload_text": "El archivo va tal cual a la carpeta privada de este servidor, y allí se lee. Hay que dejar esta "
    "página abierta hasta que llegue; el panel sigue funcionando mientras tanto.",
    "upload_label": "CSV, TSV, Excel, SPSS, Stata, JSON Lines o Parquet, como máximo 16 GB",
    "upload_button": "Enviar el archivo",
    "upload_none": "Elija primero un archivo.",
    "upload_sent": "{percent} % enviado",
    "upload_ending": "Se ha enviado todo. El servidor se hace cargo.",
    "upload_failed": "El archivo no llegó, y no se guarda nada de él. Inténtelo de nuevo.",
    "upload_too_large": "Se admiten como máximo 16 GB, y no se guarda nada de este archivo. Como Parquet ocupa menos.",
    "upload_too_many": "Ya hay demasiados archivos a la espera. Registre o elimine antes algunos de ellos.",
    "upload_no_room": "En el disco del servidor no hay sitio suficiente para este archivo: ocupa tres veces su tamaño. "
    "Quien administra el servidor puede hacer sitio.",
    "upload_unannounced": "El archivo no se admite: hay que anunciar su tamaño con un Content-Length.",
    "upload_noscript": "Para enviar un archivo grande hace falta el programa de esta página, que este navegador no "
    "ejecuta. Quien administra el servidor puede permitir en su lugar una carpeta de este.",
    "upload_back": "Volver a los conjuntos de datos",
    "wrong_host": "Este servidor no responde a ese nombre.",
    "failed": "Algo ha fallado en este servidor. Aquí no se muestra nada de ello; su registro dice dónde.",
}
WORDS = Words({"en": ENGLISH, "es": SPANISH})


def say(key: str) -> str:
    """One text."""
    return WORDS[key]
