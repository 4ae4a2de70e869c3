"""Prices, expected errors, other figures."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "price": "Precio y error esperado",
    "price_show": "Mostrar todos los precios",
    "price_caption": "Precio de cada estadística",
    "price_caption_of": "Precio de cada estadística: {title}",
    "price_statistic": "Estadística",
    "price_mechanism": "Mecanismo",
    "price_scale": "Escala",
    "price_loss": "ε",
    "price_loss_rho": "ρ",
    "price_delta": "δ",
    "price_discovered": "se descubren",
    "amount": "{symbol} = {amount}",
    "price_scales": "{least} a {most}",
    "price_follows": "Ninguno: los recuentos se deducen de {source}",
    "price_error": "Error del 95 %",
    "price_basis": "Calculado con",
    "price_cells": "Números",
    "price_unknown": "necesita filas esperadas",
    "basis_mechanism": "el ruido únicamente",
    "basis_expected": "las filas esperadas, repartidas por igual",
    "basis_bound": "el mecanismo, sean cuales sean las filas",
    "basis_none": "",
    "error": "± {margin}",
    "error_most": "como mucho {margin} {unit}",
    "error_unit": "± {margin} {unit}",
    "unit_records": "registros",
    "unit_units": "unidades",
    "price_line": "{error} con una confianza del 95 % (calculado con {basis}). {spent} de esta publicación.",
    "price_line_follows": "Sus recuentos se deducen de los de {source}, sin coste propio: {error} con una confianza "
    "del 95 %.",
    "price_line_unknown": "Indique las filas esperadas para prever su error. {spent} de esta publicación.",
    "price_bound_mode": "Con una confianza del 95 %, el valor elegido tiene como mucho {margin} registros menos que "
    "el más frecuente. {spent} de esta publicación.",
    "price_bound_top": "± {margin} registros con una confianza del 95 %, para todos los recuentos a la vez. {spent} "
    "de esta publicación.",
    "price_bound_selection": "Con una confianza del 95 %, ningún valor excluido tiene más de {margin} registros más "
    "que uno elegido. {spent} de esta publicación.",
    "price_bound_threshold": "Con una confianza del 95 %, todas las respuestas son correctas para recuentos a más de "
    "{margin} registros del umbral. {spent} de esta publicación.",
    "price_bound_bounds": "Con una confianza del 95 %, un tramo excluido contiene como mucho {margin} registros. "
    "{spent} de esta publicación.",
    "price_note": "Los errores son solo del ruido: no del muestreo, del recorte a los límites ni de las filas "
    "omitidas.",
    "figures": "Otras cifras de esta publicación",
    "figures_note": "Cómo se suman los mismos mecanismos de otras maneras. Solo se muestran; nunca se cargan ni se "
    "suman: se carga la suma simple, que vale para todas las publicaciones juntas, también cuando una se eligió "
    "después de ver otra.",
    "figures_delta": "con un δ de",
    "figures_show": "Calcularlas",
    "figures_way": "Manera de sumar",
    "figures_basic": "Suma simple, la que se carga",
    "figures_renyi": "Composición de Rényi",
    "figures_advanced": "Composición avanzada",
    "figures_pld": "Distribuciones de la pérdida de privacidad",
}
