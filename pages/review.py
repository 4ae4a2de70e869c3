"""The plans and requests that wait for a second person: a queue beside one plan. Never true values, never previews."""

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import kindly
from dprelease.ui.review.desk import desk
from dprelease.ui.words import say

st.html(fill('<h1 class="dp-hidden">{}</h1>', say("review_title")))
blocks.message()
with kindly():
    desk()
