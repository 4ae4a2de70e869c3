"""The second factor of an account."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "second_factor": "Second factor",
    "second_off": "You sign in with your password alone. With a second factor, a code from your phone is asked for as "
    "well, so that a password that somebody else learns is of no use to them.",
    "second_no_password": "It stands beside a password. Set one first.",
    "second_provider": "Your organisation signs you in, and asks for whatever it asks for.",
    "second_set_up": "Set up a second factor",
    "second_scan": "Scan this picture with the authenticator on your phone: any that knows time-based codes (TOTP). It "
    "is shown only now.",
    "second_picture": "QR code with the secret that stands below as text",
    "second_type": "Or type this into it:",
    "second_address": "Or open this address on the phone",
    "second_code": "Code",
    "second_code_help": "The six digits that your authenticator shows now. Each works once; a recovery code works "
    "instead, once it is on.",
    "second_turn_on": "Turn it on",
    "second_wrong": "The password or the code does not fit, the code was used already, or the account has to wait "
    "after several wrong ones. Wait for the next code, and try that.",
    "second_codes": "These are your recovery codes: each signs you in once without your phone. Print them, "
    "or put them where you keep passwords. They are shown only now.",
    "codes_title": "Your recovery codes",
    "codes_lead": "Your second factor is on.",
    "second_kept": "I have kept them",
    "second_on": "On since {at}. Recovery codes left: {count}.",
    "second_renew": "Make new recovery codes",
    "second_turn_off": "Turn it off",
    "second_turned_off": "The second factor is off.",
    "set_up_title": "Set up a second factor",
    "set_up_lead": "A role of yours needs it here. Until it is on you can do nothing else.",
    "second_required": "Who needs a second factor",
    "second_required_note": "It holds at once: whoever has such a role and signs in with a password or a link can do "
    "nothing before they have set one up. Who signs in at your organisation is asked there.",
    "second_required_roles": "Roles that need one",
    "second_required_none": "none",
    "second_required_save": "Set these roles",
    "second_required_saved": "It is decided who needs a second factor.",
    "person_password_and_code": "password and code",
    "confirm_code_text": "This counts, so your password and a code are asked for once more. Then press the button "
    "again, within five minutes.",
    "confirm_code_wrong": "The password or the code does not fit, the code was used already, or the account has to "
    "wait after several wrong ones.",
    "news_second_factor_on": "{at}: your second factor was turned on.",
    "news_second_factor_off": "{at}: your second factor was turned off.",
    "news_recovery_codes_made": "{at}: new recovery codes were made.",
    "news_recovery_code_used": "{at}: a recovery code was used. Codes left: {label}.",
}
