"""A mechanism's output on two neighbouring tables, and printed mechanisms that do not hold. No rows are read."""

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.mechanisms import figures
from dprelease.ui.mechanisms.controls import controls, keep, opened
from dprelease.ui.mechanisms.gallery import gallery
from dprelease.ui.mechanisms.terms import terms

with blocks.screen("mechanisms"):
    state = opened()
    left, middle, right = st.columns(3, gap="medium")
    with left:
        state = controls(state)
        figures.verdict(state)
    with middle, st.container(key="mech-tables"):
        two = figures.distributions(state)
    with right, st.container(key="mech-tests"):
        tests = figures.told_apart(state)
    figures.taken(state, two, tests)
    figures.beliefs(state)
    state = figures.composition(state)
    terms(state)
    figures.real_noise(state)
    keep(gallery(state))
