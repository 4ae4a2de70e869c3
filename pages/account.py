"""One's own account: how one signs in, where one is signed in, and tokens for programs."""

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor
from dprelease.ui.people.account import history, password, sessions, tokens
from dprelease.ui.people.second_factor import second_factor
from dprelease.ui.words import say, say_html

with blocks.screen("account"):
    roles = ", ".join(say(f"role_{role}") for role in sorted(actor().roles))
    blocks.markup(say_html("account_roles", name=actor().name, roles=roles))
    password()
    second_factor()
    sessions()
    tokens()
    history()
