"""Of codebooks."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "a codebook of at most {0} bytes": "un libro de códigos de {0} bytes como mucho",
    "a file ending in {0}": "un archivo acabado en {0}",
    "no ending": "ninguna extensión",
    "at most {0} columns": "como mucho {0} columnas",
    "no column": "ninguna columna",
    "a codebook that describes columns": "un libro de códigos que describa columnas",
    "XML with entities or outside parts": "XML con entidades o partes externas",
    "plain XML": "XML sencillo",
    "bad XML at line {0}, column {1}": "XML incorrecto en la línea {0}, columna {1}",
    "bad XML": "XML incorrecto",
    "a DDI Codebook in XML": "un DDI Codebook en XML",
    "no header": "ningún encabezado",
    "a header with `name` and any of type, lower, upper, resolution, unit, categories, description": (
        "un encabezado con `name` y cualquiera de type, lower, upper, resolution, unit, categories, description"
    ),
    "a table of text, such as CSV": "una tabla de texto, como CSV",
    "a file that SPSS or Stata wrote": "un archivo escrito por SPSS o Stata",
    "a Table Schema (`fields`), a data package (`resources`) or a plan file (`columns`)": (
        "un Table Schema (`fields`), un paquete de datos (`resources`) o un archivo de plan (`columns`)"
    ),
    "the keys {0}": "las claves {0}",
    "no resource with a schema": "ningún recurso con esquema",
    "resources with `schema` and `fields`": "recursos con `schema` y `fields`",
}
