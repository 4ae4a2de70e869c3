"""El segundo factor de una cuenta."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "second_factor": "Segundo factor",
    "second_off": "Usted inicia sesión solo con su contraseña. Con un segundo factor se le pide además un código de su "
    "teléfono, de modo que una contraseña que otra persona conozca no le sirve de nada.",
    "second_no_password": "Va junto a una contraseña. Fije antes una.",
    "second_provider": "Su organización inicia su sesión, y pide lo que tenga que pedir.",
    "second_set_up": "Configurar un segundo factor",
    "second_scan": "Escanee esta imagen con la aplicación de autenticación de su teléfono: sirve cualquiera que "
    "conozca códigos temporales (TOTP). Solo se muestra ahora.",
    "second_picture": "Código QR con el secreto que figura debajo como texto",
    "second_type": "O escriba esto en ella:",
    "second_address": "O abra esta dirección en el teléfono",
    "second_code": "Código",
    "second_code_help": "Las seis cifras que su aplicación muestra ahora. Cada código vale una vez; una vez activado, "
    "también vale un código de recuperación.",
    "second_turn_on": "Activarlo",
    "second_wrong": "La contraseña o el código no corresponde, el código ya se usó, o la cuenta tiene que esperar tras "
    "varios intentos. Espere al código siguiente y pruebe con él.",
    "second_codes": "Estos son sus códigos de recuperación: cada uno inicia su sesión una vez sin el "
    "teléfono. Imprímalos o guárdelos donde guarda sus contraseñas. Solo se muestran ahora.",
    "codes_title": "Sus códigos de recuperación",
    "codes_lead": "Su segundo factor está activado.",
    "second_kept": "Los he guardado",
    "second_on": "Activado desde el {at}. Códigos de recuperación que quedan: {count}.",
    "second_renew": "Crear códigos de recuperación nuevos",
    "second_turn_off": "Desactivarlo",
    "second_turned_off": "El segundo factor está desactivado.",
    "set_up_title": "Configurar un segundo factor",
    "set_up_lead": "Una función suya lo requiere aquí. Hasta que esté activado no puede hacer nada más.",
    "second_required": "Quién necesita un segundo factor",
    "second_required_note": "Rige enseguida: quien tenga una de estas funciones e inicie sesión con una contraseña o "
    "un enlace no puede hacer nada hasta configurarlo. A quien inicia sesión en su organización se le pide allí.",
    "second_required_roles": "Funciones que lo necesitan",
    "second_required_none": "ninguna",
    "second_required_save": "Fijar estas funciones",
    "second_required_saved": "Queda decidido quién necesita un segundo factor.",
    "person_password_and_code": "contraseña y código",
    "confirm_code_text": "Esto cuenta, así que se le piden la contraseña y un código una vez más. Después, pulse el "
    "botón otra vez antes de cinco minutos.",
    "confirm_code_wrong": "La contraseña o el código no corresponde, el código ya se usó, o la cuenta tiene que "
    "esperar tras varios intentos.",
    "news_second_factor_on": "{at}: se activó su segundo factor.",
    "news_second_factor_off": "{at}: se desactivó su segundo factor.",
    "news_recovery_codes_made": "{at}: se crearon códigos de recuperación nuevos.",
    "news_recovery_code_used": "{at}: se usó un código de recuperación. Quedan: {label}.",
}
