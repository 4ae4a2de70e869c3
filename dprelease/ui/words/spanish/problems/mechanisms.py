"""Of accounting and mechanisms."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "Convert to (ε, δ) first.": "Conviértalo antes en (ε, δ).",
    "a finite number above 0": "un número finito mayor que 0",
    "a finite number of at least 0": "un número finito no menor que 0",
    "a number from 0 to 1": "un número de 0 a 1",
    "a number from 0, below 1": "un número desde 0 y menor que 1",
    "at least 1": "al menos 1",
    "ρ = {0} with δ = {1}": "ρ = {0} con δ = {1}",
    "ρ with no δ, or ε with a δ": "un ρ sin δ, o un ε con un δ",
    "a number between 0 and 1": "un número entre 0 y 1",
    "a whole number from 1 to {0}": "un número entero de 1 a {0}",
    "Without a δ, the sum of the ε is what holds.": "Sin un δ, lo que vale es la suma de los ε.",
    "a number from {0}, below 1: a smaller one drowns in the rounding of the convolution": (
        "un número desde {0} y menor que 1: uno más pequeño se pierde en el redondeo de la convolución"
    ),
    "at least one": "al menos uno",
    "no terms": "ningún término",
    "Gaussian noise has one at every finite order and none at infinity.": "El ruido gaussiano la tiene en cada orden "
    "finito, y no en el infinito.",
    "a divergence of {0} at order {1}": "una divergencia de {0} en el orden {1}",
    "a finite number above 1": "un número finito mayor que 1",
    "a number from 1 to infinity": "un número de 1 a infinito",
    "an order at which this mechanism has a finite divergence": "un orden en el que este mecanismo tiene una "
    "divergencia finita",
    "at least 2": "al menos 2",
    "0, in a population that counts in ρ": "0, en una población que cuenta en ρ",
    "Raise its weight, or its own ε.": "Aumente su peso o su propio ε.",
    "Set a δ well below one divided by the number of units, such as 1e-6.": "Fije un δ muy inferior a uno dividido "
    "entre el número de unidades, como 1e-6.",
    "That is {0} too much: raise privacy.epsilon, or ask for less.": "Sobran {0}: aumente privacy.epsilon o pida "
    "menos.",
    "The statistics' own leave {0} of {1}: lower them.": "Los valores propios de las estadísticas dejan {0} de {1}: "
    "redúzcalos.",
    "a share above 0": "una parte mayor que 0",
    "a share of 0 of the plan's {0}": "una parte de 0 del {0} del plan",
    "a δ above 0: ρ means an ε only beside a δ": "un δ mayor que 0: un ρ solo equivale a un ε junto a un δ",
    "at most the plan's {0}": "como mucho, {0} del plan",
    "statistics with their own {0} or target error that need {1}": "estadísticas con {0} o error objetivo propios que "
    "necesitan {1}",
    "Choose a δ such as 1e-6, or count in ε (currency pure).": "Elija un δ como 1e-6, o cuente en ε (forma de cómputo "
    "pure).",
    "a number between 0 and 1: ρ-zCDP gives no ε at δ = 0": "un número entre 0 y 1: ρ-zCDP no da ningún ε con δ = 0",
    "a number of at least 0": "un número no menor que 0",
    "Choose tighter bounds, a coarser resolution or a smaller max_rows.": "Elija límites más ajustados, una resolución "
    "más gruesa o un max_rows menor.",
    "Use discrete Laplace noise, or a population with the currency zcdp.": "Use ruido de Laplace discreto, o una "
    "población con la forma de cómputo zcdp.",
    "a larger share": "una parte mayor",
    "a sensitivity of {0} steps": "una sensibilidad de {0} pasos",
    "a share of {0}": "una parte de {0}",
    "a whole number from {0} on": "un número entero desde {0}",
    "at most {0}": "como mucho {0}",
    "mechanisms with a pure ε: Gaussian noise has a ρ, which adds up far better than an ε beside a δ": (
        "mecanismos con un ε puro: el ruido gaussiano tiene un ρ, que se suma mucho mejor que un ε junto a un δ"
    ),
    "{0} noise in a population that counts in ε": "ruido {0} en una población que cuenta en ε",
    "2: a population with the relation substitute, in which a unit is a row": "2: una población con la relación "
    "substitute, en la que una unidad es una fila",
    "more than 1/{0}, less than 1": "más de 1/{0} y menos de 1",
    "randomized response where a unit changes counts by {0}": "respuesta aleatorizada donde una unidad cambia los "
    "recuentos en {0}",
    "Raise the share.": "Aumente la parte del presupuesto.",
    "a number above 0, with numeric only": "un número mayor que 0, solo con numeric",
    "more than 0, at most {0}": "más de 0, como mucho {0}",
    "Set a delta such as 1e-6, or declare the categories.": "Fije un delta como 1e-6, o declare las categorías.",
    "discovering categories needs a delta above 0: it pays for letting a category appear": (
        "un delta mayor que 0: descubrir categorías lo necesita, porque paga que una categoría aparezca"
    ),
    "from {0} to {1}": "de {0} a {1}",
}
