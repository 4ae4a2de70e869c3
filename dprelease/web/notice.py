"""Small HTML pages of the server itself, without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from starlette.responses import HTMLResponse

from dprelease.web.words import say
from dprelease.words.language import language

STYLE = (
    ":root{color-scheme:light dark;--ink:#14201f;--muted:#55625f;--paper:#f6f7f5;--accent:#0b6b72;--on:#fff;"
    "--warn:#b3460b}@media(prefers-color-scheme:dark){:root{--ink:#e7edec;--muted:#9daca9;--paper:#0d1314;"
    "--accent:#35a7b1;--on:#0d1314;--warn:#ffa56b}}body{margin:0;background:var(--paper);color:var(--ink);"
    "font:1.0625rem/1.55 system-ui,sans-serif}"
    "main{max-width:34rem;margin:18vh auto 4rem;padding:0 1.25rem}.kind{color:var(--accent);font-weight:600;margin:0}"
    "h1{font-size:1.75rem;line-height:1.2;margin:.25rem 0 1rem}p{margin:.5rem 0 1.25rem;color:var(--muted)}"
    "a{color:var(--accent)}form{display:flex;gap:1.25rem;align-items:center}button{font:inherit;font-weight:600;"
    "padding:.5rem 1.25rem;border:0;border-radius:.375rem;background:var(--accent);color:var(--on);cursor:pointer}"
    "form+p{margin-top:1.25rem}.fields{flex-direction:column;align-items:stretch;max-width:22rem}.fields "
    "label{display:grid;gap:.25rem;font-weight:600}.fields input{font:inherit;padding:.5rem .75rem;"
    "border:1px solid var(--muted);border-radius:.375rem;background:var(--paper);color:var(--ink)}"
    ".refused{color:var(--ink);border-left:.375rem solid var(--warn);padding:.25rem 0 .25rem 1rem}"
    ":focus-visible{outline:3px solid var(--accent);outline-offset:2px}"
)
PAGE = (
    '<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="robots" content="noindex"><title>{title} · {product}</title><style>{style}</style></head><body><main>'
    '<p class="kind">{product}</p><h1>{title}</h1><p>{text}</p>{action}</main></body></html>'
)
LINK = '<p><a href="/">{home}</a></p>'
ENTRANCE = (
    '{refused}<form class="fields" method="post" action="/sign-in"><label>{name}'
    '<input name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="60">'
    "</label>"
    '<label>{password}<input name="password" type="password" autocomplete="current-password" required maxlength="200">'
    "</label><button>{button}</button></form>{provider}" + LINK
)
CODE = (
    '{refused}<form class="fields" method="post" action="/sign-in"><label>{code}'
    '<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus '
    'maxlength="60"></label><button>{button}</button></form><p>{lost}</p><p><a href="/sign-in?anew">{anew}</a></p>'
)
LINKED = (
    '<form method="post" action="/sign-in"><input type="hidden" name="token" value="{token}"><button>{button}</button>'
    '<a href="/">{home}</a></form>'
)
REFUSED = '<p class="refused" role="alert">{text}</p>'
FORM = '<form method="post"><button>{button}</button><a href="/">{stay}</a></form>'


def notice(title: str, text: str, *, status: int, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Return a page that says one thing; it takes keys of `words`. Nothing that a visitor sent is ever shown."""
    return _page(title, text, LINK.format(home=say("home")), status, headers)


def entrance(*, refused: bool = False, provider: str = "") -> HTMLResponse:
    """The page to sign in on; `provider`: the address at which an identity provider is asked, if there is one."""
    words = {"name": say("name"), "password": say("password"), "button": say("sign_in_button"), "home": say("home")}
    form = ENTRANCE.format(
        refused=REFUSED.format(text=say("sign_in_refused")) if refused else "",
        provider=f'<p><a class="provider" href="{provider}">{say("sign_in_provider")}</a></p>' if provider else "",
        **words,
    )
    return _page("sign_in_title", "sign_in_text", form, 403 if refused else 200)


def code_asked(*, refused: bool = False) -> HTMLResponse:
    """Return the page that asks for a code of the second factor, after a link or a password."""
    form = CODE.format(
        refused=REFUSED.format(text=say("code_refused")) if refused else "",
        code=say("code"),
        button=say("sign_in_button"),
        lost=say("code_lost"),
        anew=say("code_anew"),
    )
    return _page("code_title", "code_text", form, 403 if refused else 200)


def by_link(person: str, token: str) -> HTMLResponse:
    """Return the page that a link leads to: whom it signs in, and the button that does it."""
    form = LINKED.format(token=escape(token, quote=True), button=say("sign_in_button"), home=say("home"))
    return _page("link_title", "link_text", form, 200, name=escape(person))


def question() -> HTMLResponse:
    """Return the page that asks before signing out."""
    form = FORM.format(button=say("sign_out_button"), stay=say("stay"))
    return _page("sign_out_title", "sign_out_text", form, 200)


def _page(
    title: str, text: str, action: str, status: int, headers: Mapping[str, str] | None = None, **values: str
) -> HTMLResponse:
    words = {"title": say(title, **values), "text": say(text, **values), "product": say("product")}
    html = PAGE.format(language=language(), action=action, style=STYLE, **words)
    return HTMLResponse(html, status_code=status, headers=headers)
