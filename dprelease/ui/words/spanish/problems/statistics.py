"""Of statistics and their prices."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "a column declared with very wide bounds": "una columna declarada con límites muy amplios",
    "{0}, with {1} declared values": "{0}, con {1} valores declarados",
    "Add `bins: {{{0}: 10}}`.": "Añada `bins: {{{0}: 10}}`.",
    "an integer, number or date column among the table's columns": "una columna de enteros, números o fechas entre las "
    "de la tabla",
    "at most {0}, its declared values": "como mucho {0}, sus valores declarados",
    "number columns with bins": "columnas de números con tramos",
    "{0}, a number column without bins": "{0}, una columna de números sin tramos",
    "Set privacy.delta, such as 1e-6, within the population's cap; or declare the categories.": (
        "Fije privacy.delta, como 1e-6, dentro del tope de la población; o declare las categorías."
    ),
    "a δ above 0: without one, that a category appears would tell that somebody has it": "un δ mayor que 0: sin él, "
    "que aparezca una categoría diría que alguien la tiene",
    "categories to discover, and a δ of 0": "categorías por descubrir, y un δ de 0",
    "nothing, where categories are discovered": "nada, donde se descubren categorías",
    "A smaller δ leaves nothing beside the δ of the plan's own mechanisms.": "Un δ menor no deja nada junto al δ de "
    "los mecanismos del propio plan.",
    "a number from {0}, below 1": "un número desde {0} y menor que 1",
    "Use fewer columns, bins or categories.": "Use menos columnas, tramos o categorías.",
    "{0} cells": "{0} celdas",
    "Use fewer bins or a finer resolution.": "Use menos tramos o una resolución más fina.",
    "Values are clipped to the bounds, so each must fall in a bin: add the bounds as edges.": (
        "Los valores se recortan a los límites, así que cada uno debe caer en un tramo: añada los límites como "
        "extremos."
    ),
    "a value between the bounds of {0} and {1}": "un valor entre los límites de {0} y {1}",
    "at most {0}, the declared values of {1}": "como mucho {0}, los valores declarados de {1}",
    "bins on a {0} column": "tramos en una columna de tipo {0}",
    "both bins and edges": "bins y edges a la vez",
    "edges from {0} to {1}": "extremos de {0} a {1}",
    "edges from {0} to {1}, the column's bounds": "extremos de {0} a {1}, los límites de la columna",
    "edges out of order": "extremos desordenados",
    "increasing edges": "extremos crecientes",
    "nothing: its declared values are the bins": "nada: sus valores declarados son los tramos",
    "Add `expected: {{rows: ...}}`.": "Añada `expected: {{rows: ...}}`.",
    "Allow larger errors, or use fewer groups, bins or columns.": "Admita errores mayores, o use menos grupos, tramos "
    "o columnas.",
    "errors that no ε is large enough for": "errores para los que ningún ε es bastante grande",
    "errors that the plan's statistics can have": "errores que puedan tener las estadísticas del plan",
    "none": "ninguno",
    "the error of at least one statistic": "el error de al menos una estadística",
    "the expected number of rows, on which the error of this statistic depends": "el número esperado de filas, del que "
    "depende el error de esta estadística",
    "Add `expected: {{rows: ...}}`, or give statistics[{0}] a weight or an epsilon.": "Añada `expected: {{rows: "
    "...}}`, o dé a statistics[{0}] un peso o un epsilon.",
    "Allow a larger error or a lower confidence, or raise privacy.epsilon.": "Admita un error mayor o una confianza "
    "menor, o aumente privacy.epsilon.",
    "an error of {0} with {1}, which no noise is small enough for": "un error de {0} con {1}, para el que ningún ruido "
    "es bastante pequeño",
    "an error of {0} with {1}, which takes {2} {3}": "un error de {0} con {1}, que requiere {2} {3}",
    "an error within the plan's {0} {1}": "un error que quepa en {0} {1} del plan",
    "an error within the plan's {0} {1}: it is short by {2}": "un error que quepa en {0} {1} del plan: faltan {2}",
    "the expected number of rows: `weights` other than your own are made from it": "el número esperado de filas: los "
    "`weights` que no son propios se calculan a partir de él",
    "Use fewer statistics, bins or quantile cells, or several plans.": "Use menos estadísticas, tramos o celdas de "
    "cuantiles, o varios planes.",
    "{0} cells to count in all": "{0} celdas por contar en total",
    "Raise the statistic's share.": "Aumente la parte de la estadística.",
    "at least 1e-9 for each": "al menos 1e-9 para cada una",
    "{0} answers for a share of {1}": "{0} respuestas para una parte de {1}",
    "a column with a lower bound of at least 0": "una columna cuyo límite inferior no sea menor que 0",
    "{0}, whose lower bound is below 0": "{0}, cuyo límite inferior es menor que 0",
    "a value between the bounds of {0} and on its lattice": "un valor entre los límites de {0} y múltiplo de su "
    "resolución",
    "both cells and candidates": "cells y candidates a la vez",
    "candidates out of order": "candidatos desordenados",
    "increasing values": "valores crecientes",
    "two shares, one below 0.25 and one above 0.75": "dos proporciones, una menor que 0,25 y otra mayor que 0,75",
    "Add `count_missing_as: <one of its answers>` to the column {0}.": "Añada `count_missing_as: <una de sus "
    "respuestas>` a la columna {0}.",
    "a column whose declaration says what a missing answer counts as": "una columna cuya declaración diga cómo cuenta "
    "una respuesta ausente",
    "a column with 2 to {0}": "una columna con 2 a {0}",
    "randomized response under {0}": "respuesta aleatorizada con {0}",
    "{0} answers": "{0} respuestas",
    "{0}, where rows may have no answer": "{0}, donde puede haber filas sin respuesta",
    "at most {0}, the questions": "como mucho {0}, las preguntas",
    "counts, where categories are discovered": "recuentos, donde se descubren categorías",
    "nothing beside the method noisy_top_k": "nada junto al método noisy_top_k",
    "Declare one of the two with a coarser resolution.": "Declare una de las dos con una resolución más gruesa.",
    "{0} times {1}, up to {2} steps a row": "{0} por {1}, hasta {2} pasos por fila",
    "no error that can be foreseen": "ningún error que se pueda prever",
    "an error of {0}": "un error de {0}",
    "Give the expected rows.": "Dé las filas esperadas.",
    "Raise its share, or ask for less.": "Aumente su parte, o pida menos.",
    "a {0} whose noise is not the same for all its values, or follows from another's": "un {0} cuyo ruido no es el "
    "mismo para todos sus valores, o se deduce del de otro",
    "counts, sums, histograms and cross tables with noise of their own": "recuentos, totales, histogramas y tablas "
    "cruzadas con ruido propio",
}
