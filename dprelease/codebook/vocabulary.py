"""How codebooks in tables call things, in English and Spanish: without accents, capitals and spaces."""

from __future__ import annotations

import re
import unicodedata

from dprelease.model.column import ColumnType

HEADERS = {
    "name": "name column variable field var nombre columna campo",
    "type": "type datatype data_type tipo tipo_de_dato tipo_dato clase",
    "lower": "lower min minimum lower_bound from inferior limite_inferior minimo desde",
    "upper": "upper max maximum upper_bound to superior limite_superior maximo hasta",
    "resolution": "resolution step precision resolucion paso",
    "unit": "unit units unit_of_measure measured_in unidad unidades unidad_de_medida",
    "categories": "categories values levels allowed_values labels value_labels codes "
    "categorias valores etiquetas codigos",
    "description": "description label title definition descripcion etiqueta titulo definicion",
    "other": "other otro otros otra",
    "missing_codes": "missing_codes missing_values codes_for_no_answer na_values na codigos_de_ausencia "
    "codigos_sin_respuesta valores_perdidos valores_ausentes",
    "count_missing_as": "count_missing_as missing_counts_as empty_counts_as vacio_cuenta_como ausente_cuenta_como",
    "missing": "missing ausente ausentes faltante faltantes",
    "domain": "domain ready_domain dominio",
    "value": "value code category valor codigo categoria",
    "value_label": "value_label category_label code_label etiqueta_valor etiqueta_del_valor etiqueta_categoria",
}
"""By key of a declaration: the headers that mean it. `value` is one category, where each has a row of its own;
`missing` may mean codes for no answer or what empty cells count as, so that it is asked about and not taken over."""
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
    ColumnType.NUMBER: "number numeric float double decimal real continuous numero numerico numerica decimales",
    ColumnType.CATEGORY: "category categorical factor enum nominal ordinal coded categoria categorica categorico",
    ColumnType.BOOLEAN: "boolean bool logical flag binary booleano booleana logico si_no",
    ColumnType.DATE: "date day fecha dia",
    ColumnType.TEXT: "text identifier id key identificador clave",
}
FREE_TEXT = frozenset(["string", "str", "character", "char", "varchar", "texto", "cadena", "caracter", "alfanumerico"])
"""Types without a counterpart: what is neither a list nor an identifier is not declared."""
YES = frozenset(["yes", "y", "true", "1", "x", "si", "s", "verdadero"])
MEANINGS = {word: key for key, words in HEADERS.items() for word in words.split()}
KINDS = {word: kind for kind, words in TYPES.items() for word in words.split()}


def plain_word(text: str) -> str:
    """A word without accents, capitals and spaces."""
    bare = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.sub(r"[^a-z0-9]+", "_", bare.lower()).strip("_")
