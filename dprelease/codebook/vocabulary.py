"""Vocabulary of the headings and cells of a codebook, in English and Spanish."""

from __future__ import annotations

import csv
import re
import unicodedata

from dprelease.codebook.book import UNSTATED
from dprelease.model.column import ColumnType

PAIR = re.compile(r"(?P<value>[^=]*[^=<>!\s])\s*=\s*(?P<label>[^=].*)", re.DOTALL)
"""A category and its label, such as `1 = male`; `>=65` is a category."""
IN_LANGUAGE = re.compile(r"(?P<head>.+)_(?P<language>[a-z]{2})")
HEADERS = {
    "name": "name column variable field var nombre columna campo variable_name column_name field_name "
    "nombre_variable nombre_de_la_variable nombre_del_campo nombre_de_variable codigo_de_variable",
    "type": "type datatype data_type variable_type field_type tipo tipo_de_dato tipo_dato tipo_variable "
    "tipo_de_variable tipo_de_campo clase",
    "lower": "lower min minimum lower_bound valid_min from inferior limite_inferior minimo desde",
    "upper": "upper max maximum upper_bound valid_max to superior limite_superior maximo hasta",
    "resolution": "resolution step precision resolucion paso",
    "decimals": "decimals decimal_places decimales",
    "unit": "unit units unit_of_measure measured_in unidad unidades unidad_de_medida",
    "categories": "categories values levels allowed_values valid_values labels value_labels codes "
    "categorias valores valores_validos etiquetas codigos",
    "label": "label title long_name short_description etiqueta titulo etiqueta_de_la_variable variable_label",
    "description": "description comment definition variable_description descripcion definicion "
    "descripcion_de_la_variable descripcion_del_campo descripcion_variable",
    "other": "other otro otros otra",
    "missing_codes": "missing_codes missing_values missing_value codes_for_no_answer na_values na codigos_de_ausencia "
    "codigos_sin_respuesta valores_perdidos valores_ausentes",
    "count_missing_as": "count_missing_as missing_counts_as empty_counts_as vacio_cuenta_como ausente_cuenta_como",
    "reading": "reading how_cells_are_read lectura como_se_leen_las_celdas",
    "outside": "outside fuera",
    "levels": "coarser_levels niveles_mas_gruesos",
    "randomized": "randomized aleatorizada aleatorizado",
    "made": "made made_of hecha hecha_de",
    "missing": "missing no_answer ausente ausentes faltante faltantes sin_respuesta",
    "domain": "domain ready_domain dominio",
    "codelist": "codelist code_list value_list list lista dictionary lookup lista_de_codigos diccionario "
    "diccionario_de_la_variable nombre_del_diccionario tabla_de_codigos",
    "value": "value code category valor codigo categoria cod clave",
    "value_label": "value_label category_label code_label value_description code_description meaning "
    "etiqueta_valor etiqueta_del_valor etiqueta_categoria descripcion_del_codigo descripcion_del_valor "
    "significado literal denominacion",
}
"""Headers by the declaration key they mean. `value` is one category, where each has a row of its own;
`missing` may mean codes for no answer or what empty cells count as, so that it is asked about and not taken over."""
IN_YAML = ("reading", "outside", "levels", "randomized", "made")
"""Keys whose value is no single text: the cell holds what a plan file does, on one line."""
TOLD = frozenset(["label", "description", "value_label"])
"""Keys that may stand in several languages, each under a heading such as `label_es`."""
EXTREMES = frozenset(["min", "minimum", "minimo", "max", "maximum", "maximo"])
"""Headers that mean bounds, except beside statistics: there they are what was observed."""
OBSERVED = frozenset(
    word
    for words in (
        "mean average sd std std_dev standard_deviation median mode n count freq frequency frequencies percent",
        "media promedio desviacion_tipica mediana moda recuento frecuencia frecuencias porcentaje",
        "missing_count n_missing nulls unique distinct q1 q3 p25 p75",
        "observed_min observed_max min_observed max_observed minimo_observado maximo_observado",
    )
    for word in words.split()
)
"""Headers of facts about rows, which are never taken over."""
TYPES = {
    ColumnType.INTEGER: "integer int long whole smallint bigint entero entera numero_entero",
    ColumnType.NUMBER: "number numeric float double decimal real continuous numero numerico numerica decimales num n",
    ColumnType.CATEGORY: "category categorical factor enum nominal ordinal coded categoria categorica categorico",
    ColumnType.BOOLEAN: "boolean bool logical flag binary booleano booleana logico si_no yes_no",
    ColumnType.DATE: "date day fecha dia",
    ColumnType.TEXT: "text identifier id key identificador clave",
}
FREE_TEXT = frozenset(
    word
    for words in (
        "string str character char varchar alphanumeric",
        "texto cadena caracter alfanumerico alfanumerica a an c",
    )
    for word in words.split()
)
"""Types without a counterpart: what is neither a list nor an identifier is not declared."""
YES = frozenset(["yes", "y", "true", "1", "x", "si", "s", "verdadero"])
MEANINGS = {word: key for key, words in HEADERS.items() for word in words.split()}
KINDS = {word: kind for kind, words in TYPES.items() for word in words.split()}


def meaning(head: str) -> tuple[str, str] | None:
    """Return the key that a heading means, and the language that it names, if it does. None where it means neither."""
    if head in MEANINGS:
        return MEANINGS[head], UNSTATED
    found = IN_LANGUAGE.fullmatch(head)
    if found is not None and MEANINGS.get(found["head"]) in TOLD:
        return MEANINGS[found["head"]], found["language"]
    return None


def split_labels(text: str) -> list[tuple[str, str]]:
    """Categories apart by lines, tabs, |, ; or commas, each with its label where one follows a `=`."""
    delimiter = next((each for each in ("\n", "\t", "|", ";") if each in text), ",")
    parts = next(csv.reader([text], skipinitialspace=True), []) if delimiter == "," else text.split(delimiter)
    pairs = [(PAIR.fullmatch(part.strip()), part.strip()) for part in parts]
    return [(found["value"].strip(), found["label"].strip()) if found else (part, "") for found, part in pairs if part]


def plain_word(text: str) -> str:
    """Return a word without accents, capitals and spaces."""
    if not text:
        return ""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "_", bare.lower()).strip("_")
