"""Of files and tables."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "Settings of the engine itself belong to its account or service.": "Los ajustes del propio motor corresponden a su "
    "cuenta o servicio.",
    "$PGSERVICE beside an address that names a host": "$PGSERVICE junto a una dirección que nombra un servidor",
    "A password that is kept for one server would go to another.": "Una contraseña guardada para un servidor iría a "
    "otro.",
    "The password of the service would go to that host.": "La contraseña del servicio iría a ese servidor.",
    "an address with ?service=, or no $PGSERVICE": "una dirección con ?service=, o ningún $PGSERVICE",
    "one that cannot be read": "una que no se puede leer",
    "spark://host:port/folder/of/parquet, or spark://host:port/?table=schema.table": "spark://host:port/folder/of/parqu"
    "et, o spark://host:port/?table=schema.table",
    "the option {0}": "la opción {0}",
    "a column of the stored table": "una columna de la tabla guardada",
    "a stored column of type {0}": "una columna guardada de tipo {0}",
    "a DataFrame whose columns each hold one type: numbers, text, dates or booleans": "un DataFrame cuyas columnas "
    "tengan cada una un solo tipo: números, texto, fechas o booleanos",
    "one that cannot be stored": "una que no se puede guardar",
    "Upload it again.": "Súbalo otra vez.",
    "a Parquet file that is cut short": "un archivo Parquet incompleto",
    "a file that cannot be read": "un archivo que no se puede leer",
    "a whole file": "un archivo completo",
    "an empty file": "un archivo vacío",
    "at most {0} cells in {1} bytes": "como mucho {0} celdas en {1} bytes",
    "binary content": "contenido binario",
    "content that cannot be read": "contenido que no se puede leer",
    "different names (upper and lower case count as the same)": "nombres distintos (mayúsculas y minúsculas cuentan "
    "como iguales)",
    "names of at most {0} characters, and lines that end in LF or CRLF": "nombres de {0} caracteres como mucho, y "
    "líneas que acaben en LF o CRLF",
    "{0} cells in {1} bytes when unpacked": "{0} celdas en {1} bytes al descomprimir",
    "CSV, TSV or other text with delimiters, Excel (.xlsx), SPSS, Stata, JSON Lines or Parquet": (
        "CSV, TSV u otro texto con delimitadores, Excel (.xlsx), SPSS, Stata, JSON Lines o Parquet"
    ),
    "Choose another encoding, or save the file as CSV UTF-8.": "Elija otra codificación, o guarde el archivo como CSV "
    "UTF-8.",
    "If the first row holds no names, say so.": "Si la primera fila no tiene nombres, indíquelo.",
    "a header that cannot be read": "un encabezado que no se puede leer",
    "text in {0}": "texto en {0}",
    "two columns of the same name, {0} and {1}": "dos columnas con el mismo nombre, {0} y {1}",
    "Check the server, the network and the account; passwords also come from PGPASSFILE or PGSERVICE.": (
        "Compruebe el servidor, la red y la cuenta; las contraseñas vienen también de PGPASSFILE o PGSERVICE."
    ),
    "a server that answers at the address, with the account of the address": "un servidor que responda en la "
    "dirección, con la cuenta de la dirección",
    "a query that the server stopped": "una consulta que el servidor detuvo",
    "a server that cannot be reached, or a connection that broke": "un servidor al que no se puede acceder, o una "
    "conexión que se cortó",
    "a server that does not know the account or its password": "un servidor que no conoce la cuenta o su contraseña",
    "a table or column that is no longer there": "una tabla o columna que ya no está",
    "an account that may SELECT from the table, or at least the columns that are used": "una cuenta que pueda hacer "
    "SELECT en la tabla, o al menos en las columnas que se usan",
    "no permission to read it": "ningún permiso para leerla",
    "no table of this name": "ninguna tabla con este nombre",
    "the name of a table or view, with its schema": "el nombre de una tabla o vista, con su esquema",
    "the table as it was registered": "la tabla tal como se registró",
    "columns of the file": "columnas del archivo",
    "no column {0}": "ninguna columna {0}",
    "Replace the dataset's rows by the same address, if the table is as it should be.": "Reemplace las filas del "
    "conjunto de datos con la misma dirección, si la tabla está como debe.",
    "an engine whose client is installed": "un motor cuyo cliente esté instalado",
    "pip install 'dprelease[{0}]'": "pip install 'dprelease[{0}]'",
    "the type {0}, as when the dataset was registered": "el tipo {0}, como cuando se registró el conjunto de datos",
    "{0}://, whose client is not installed": "{0}://, cuyo cliente no está instalado",
    "a compressed file, or a spreadsheet of another kind than .xlsx": "un archivo comprimido, o una hoja de cálculo "
    "que no es .xlsx",
    "Unpack it, or save it as .xlsx or CSV.": "Descomprímalo, o guárdelo como .xlsx o CSV.",
    "rows that are too large to be read": "filas demasiado grandes para leerlas",
    "Leave out columns that are not needed.": "Quite las columnas que no hagan falta.",
    "a reading that was given up": "una lectura que se abandonó",
    "another try": "otro intento",
    "a workbook without sheets": "un libro sin hojas",
    "a sheet with a table": "una hoja con una tabla",
    "no such sheet": "ninguna hoja así",
    "a sheet of the workbook": "una hoja del libro",
    "an Excel workbook that cannot be read": "un libro de Excel que no se puede leer",
    "a whole .xlsx workbook without a password": "un libro .xlsx completo y sin contraseña",
    "Open it, save it anew as .xlsx or as CSV UTF-8, and try again.": "Ábralo, guárdelo de nuevo como .xlsx o como CSV "
    "UTF-8, e inténtelo otra vez.",
    "at most {0} rows": "como mucho {0} filas",
    "a sheet with more rows than one can have": "una hoja con más filas de las que puede tener",
    "a workbook that is too large when unpacked": "un libro demasiado grande al descomprimirlo",
    "at most {0} bytes, and {1} bytes of different texts": "como mucho {0} bytes, y {1} bytes de textos distintos",
    "Save it as CSV UTF-8.": "Guárdelo como CSV UTF-8.",
    "line {0}: more than {1} different keys": "línea {0}: más de {1} claves distintas",
    "a JSON object a line, in UTF-8, whose values are texts, numbers, true, false or null": (
        "un objeto JSON por línea, en UTF-8, cuyos valores sean textos, números, true, false o null"
    ),
    "line {0}: {1}": "línea {0}: {1}",
    "a file of SPSS or Stata that cannot be read": "un archivo de SPSS o Stata que no se puede leer",
    "a whole .sav, .zsav, .por or .dta file": "un archivo .sav, .zsav, .por o .dta completo",
    "Save it anew, or export it as CSV UTF-8.": "Guárdelo de nuevo, o expórtelo como CSV UTF-8.",
    "Look whether it is there. DPRELEASE_SPARK_SECONDS sets how long a question may take.": "Compruebe si sigue ahí. "
    "DPRELEASE_SPARK_SECONDS fija cuánto puede tardar una consulta.",
    "Name the table instead: spark://host:port/?table=catalog.schema.table.": "Nombre la tabla en su lugar: "
    "spark://host:port/?table=catalog.schema.table.",
    "Write times in microseconds instead.": "Escriba las horas en microsegundos.",
    "a cluster that did not answer within {0} seconds": "un clúster que no respondió en {0} segundos",
    "a column of the Parquet type {0}": "una columna del tipo {0} de Parquet",
    "a folder of Parquet files that are all of its rows": "una carpeta de archivos Parquet que sean todas sus filas",
    "a folder of whole Parquet files": "una carpeta de archivos Parquet completos",
    "a folder without Parquet files, named *.parquet": "una carpeta sin archivos Parquet, de nombre *.parquet",
    "a pattern of folders": "un patrón de carpetas",
    "one folder, by its path": "una sola carpeta, por su ruta",
    "a table of which the account may read all rows": "una tabla de la que la cuenta pueda leer todas las filas",
    "files of a {0} table, of which some hold rows that were deleted or changed": "archivos de una tabla {0}, algunos "
    "de ellos con filas que se borraron o cambiaron",
    "files whose columns have one type": "archivos cuyas columnas tengan un solo tipo",
    "one that is running, with workers that have room": "uno en marcha, cuyos nodos tengan sitio",
    "a database in an encoding that may hold texts which are none": "una base de datos en una codificación que puede "
    "contener textos que no lo son",
    "Move the table to a database in UTF8.": "Pase la tabla a una base de datos en UTF8.",
    "Ask for a longer statement_timeout for the account.": "Pida un statement_timeout más largo para la cuenta.",
    "GRANT SELECT on it, and USAGE on its schema, to the account of the address.": "GRANT SELECT sobre ella y USAGE "
    "sobre su esquema, a la cuenta de la dirección.",
    "row-level security: the account would see only some of the rows": "seguridad por filas: la cuenta vería solo "
    "algunas de las filas",
    "Give the account BYPASSRLS, or name a view that says which rows it has, whose owner may read them all.": "Dé "
    "BYPASSRLS a la cuenta, o nombre una vista que diga qué filas tiene y cuyo dueño pueda leerlas todas.",
    "the file {0}, which is not there any more": "el archivo {0}, que ya no está",
    "the file {0}, which cannot be read": "el archivo {0}, que no se puede leer",
    "types that Spark reads": "tipos que Spark lea",
    "{0}, whose column {1} is {2}, not {3}": "{0}, cuya columna {1} es {2}, no {3}",
    "another cluster in use": "otro clúster en uso",
    "one cluster at a time": "un solo clúster a la vez",
    "Try again.": "Inténtelo otra vez.",
    "no such table or folder, no permission to read it, or a column that is no longer there": (
        "ninguna tabla o carpeta así, ningún permiso para leerla, o una columna que ya no está"
    ),
    "the table as it was registered, for the account that dprelease runs as": "la tabla tal como se registró, para la "
    "cuenta con la que se ejecuta dprelease",
    "a cluster that cannot be reached": "un clúster al que no se puede acceder",
    "no Java on this machine": "sin Java en esta máquina",
    "a Spark master that answers at the address, and Java 17 or later here": "un servidor maestro de Spark que "
    "responda en la dirección, y Java 17 o posterior aquí",
    "line {0}, column {1}: a row of length {2}, not {3}": "línea {0}, columna {1}: una fila de longitud {2}, no {3}",
    "as many cells in each row as there are columns": "tantas celdas en cada fila como columnas haya",
    "Check the sign between cells, and put quotes around cells that hold it.": "Compruebe el signo que separa las "
    "celdas, y ponga entre comillas las celdas que lo contengan.",
    "line {0}, column {1}: quotes that do not fit": "línea {0}, columna {1}: comillas que no encajan",
    "line {0}: more than {1} bytes": "línea {0}: más de {1} bytes",
    "shorter lines": "líneas más cortas",
    "Check whether a quote is open, and leave out columns that are not needed.": "Compruebe si hay unas comillas sin "
    "cerrar, y quite las columnas que no hagan falta.",
    "quotes around a whole cell, those inside it doubled": "comillas alrededor de una celda entera, dobles las que "
    "tenga dentro",
    "Write the file anew, with every quote closed.": "Escriba el archivo de nuevo, con todas las comillas cerradas.",
    "line {0}, column {1}: bytes that are not {2}": "línea {0}, columna {1}: bytes que no son {2}",
    "Save the file anew, or as another of these.": "Guarde el archivo de nuevo, o en otro de estos formatos.",
    "rows of which some thousand fit into {0} of memory": "filas de las que quepan algunos miles en {0} de memoria",
    "no cells in row {0}": "ninguna celda en la fila {0}",
    "a table that begins in that row of the sheet {0}": "una tabla que empiece en esa fila de la hoja {0}",
    "Say which row holds the names, or choose another sheet.": "Indique qué fila contiene los nombres, o elija otra "
    "hoja.",
    "row {0}, column {1}: a cell beyond the last column with a name": "fila {0}, columna {1}: una celda más allá de la "
    "última columna con nombre",
    "cells of the sheet {0} in its {1} first columns": "celdas de la hoja {0} en sus {1} primeras columnas",
    "no JSON at character {0}": "no es JSON a partir del carácter {0}",
    "no JSON that can be read": "no hay JSON que se pueda leer",
    "no object": "no es un objeto",
    "bytes that are not UTF-8 at character {0}": "bytes que no son UTF-8 en el carácter {0}",
    "a list or an object as the value of key {0}": "una lista o un objeto como valor de la clave {0}",
    "a key that stands there twice": "una clave que está dos veces",
    "identifiers stored as floats, with values that stand for several whole numbers": "identificadores guardados como "
    "números de coma flotante, con valores que valen por varios números enteros",
    "whole numbers below {0} in size, or identifiers stored as whole numbers or text": "números enteros menores que "
    "{0} en valor absoluto, o identificadores guardados como números enteros o texto",
    "Store the column as whole numbers or as text where the table is made.": "Guarde la columna como números enteros o "
    "como texto allí donde se hace la tabla.",
}
