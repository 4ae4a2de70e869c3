"""What certificates say is not promised."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "Created or changed after true values of this population were previewed: the {0}. What that choice tells is "
    "outside the guarantee.": (
        "Creado o cambiado después de ver valores verdaderos de esta población en una vista previa: {0}. Lo que esa "
        "elección revele queda fuera de la garantía."
    ),
    "Neither the plan nor the schema was changed after true values of this population were previewed.": (
        "Ni el plan ni las columnas declaradas se cambiaron después de ver valores verdaderos de esta población en una "
        "vista previa."
    ),
    "No true values of this population were previewed in this workspace before this release.": (
        "Antes de esta publicación no se vieron valores verdaderos de esta población en vistas previas de este espacio "
        "de trabajo."
    ),
    "Not in the sum, because they protect another unit or another neighbouring relation: {0}.": (
        "No entran en la suma, porque protegen otra unidad u otra relación de vecindad: {0}."
    ),
    "Other populations have some or all of the same units, and their spending adds up: {0}.": (
        "Otras poblaciones tienen algunas o todas las mismas unidades, y sus gastos se suman: {0}."
    ),
    "Previews are turned off in this workspace.": "Las vistas previas están desactivadas en este espacio de trabajo.",
    "Previews in this workspace show invented rows only, made up from the declared columns.": (
        "Las vistas previas de este espacio de trabajo solo muestran filas inventadas a partir de las columnas "
        "declaradas."
    ),
    "Published about these units without a guarantee that is counted here: {0}.": "Publicado sobre estas unidades sin "
    "una garantía que se cuente aquí: {0}.",
    "The budget was opened anew for the period {0}; what was spent before it is summed up too.": (
        "El presupuesto se abrió de nuevo para el periodo {0}; lo gastado antes también se suma."
    ),
    "Whether other populations of this workspace have the same units is not attested: {0}.": (
        "No consta si otras poblaciones de este espacio de trabajo tienen las mismas unidades: {0}."
    ),
    "A group of such units is protected less well the larger it is: 10 units with ε = {0}.": (
        "Un grupo de tales unidades está menos protegido cuanto mayor es: 10 unidades, con ε = {0}."
    ),
    "At most {0} rows of each {1} were used; further rows, and rows that do not say whose they are, were left out, so "
    "totals can be lower than in the full table.": (
        "De cada {1} se usaron como mucho {0} filas; las demás, y las que no dicen de quién son, se dejaron fuera, así "
        "que los totales pueden ser menores que los de la tabla completa."
    ),
    "Each row is taken to be one {0}: the curator attests that nobody has two rows.": "Cada fila se toma por una "
    "unidad ({0}): la persona responsable de los datos hace constar que nadie tiene dos filas.",
    "Intervals bound the noise only: not sampling, clipping or the leaving out of rows.": (
        "Los intervalos acotan solo el ruido: no el muestreo, el recorte ni la exclusión de filas."
    ),
    "It hides what the rows of one {0} are{1}.": "Oculta cómo son las filas de una unidad ({0}){1}.",
    "It hides whether one {0} is in the data at all. Exchanging the values of a {1} who is present is hidden less "
    "well, as if two were at stake: ε = {2}.": (
        "Oculta si una unidad ({0}) está siquiera en los datos. Sustituir los valores de una unidad ({1}) presente se "
        "oculta peor, como si hubiera dos en juego: ε = {2}."
    ),
    "One person wrote, approved and published this release (solo workspace).": "Una sola persona escribió, aprobó y "
    "publicó esto (espacio de trabajo individual).",
    "The guarantee takes the plan and the declared columns as given: it does not protect how they were chosen.": (
        "La garantía da por fijos el plan y las columnas declaradas: no protege cómo se eligieron."
    ),
    "The number of rows is published exactly, by {0}: that hides what one {1} answered, ": (
        "El número de filas se publica con exactitud, por {0}: eso oculta qué respondió una unidad ({1}), "
    ),
    "{0}not whether there is such a {1}.": "{0}no si existe esa unidad ({1}).",
    "Two people decided: who wrote the plan did not approve it.": "Decidieron dos personas: quien escribió el plan no "
    "lo aprobó.",
    "Identifiers that stand for nobody, whose rows are left out: {0}.": "Identificadores que no designan a nadie, "
    "cuyas filas se dejan fuera: {0}.",
    "Codes for no answer, whose rows count as rows without a value: {0}.": "Códigos sin respuesta, cuyas filas cuentan "
    "como filas sin valor: {0}.",
    "Rows without a value count as a declared one: {0}.": "Las filas sin valor cuentan como un valor declarado: {0}.",
    "Survey weights ({0}) above {1} count as {2}: weighted results may be off by more than noise.": (
        "Los pesos de la encuesta ({0}) mayores que {1} cuentan como {2}: los resultados ponderados pueden desviarse "
        "más de lo que indica el ruido."
    ),
    "Survey weights ({0}) below {1} count as {2}: weighted results may be off by more than noise.": (
        "Los pesos de la encuesta ({0}) menores que {1} cuentan como {2}: los resultados ponderados pueden desviarse "
        "más de lo que indica el ruido."
    ),
    "Rows with a survey weight ({0}) above {1} are left out of weighted results.": (
        "Las filas con un peso de la encuesta ({0}) mayor que {1} se dejan fuera de los resultados ponderados."
    ),
    "Rows with a survey weight ({0}) below {1} are left out of weighted results.": (
        "Las filas con un peso de la encuesta ({0}) menor que {1} se dejan fuera de los resultados ponderados."
    ),
    "Not made consistent with any other table, since none counts the same rows: {0}.": (
        "No se hacen coherentes con ninguna otra tabla, porque ninguna cuenta las mismas filas: {0}."
    ),
    "Rows without a value in {0} are left out of some tables and not of others, which are not made consistent with one "
    "another. With a declared value for such rows (count_missing_as), best a category of its own, all of them count.": (
        "Las filas sin valor en {0} se dejan fuera de unas tablas y no de otras, que no se hacen coherentes entre sí. "
        "Con un valor declarado para esas filas (count_missing_as), mejor una categoría propia, todas cuentan."
    ),
    "Not made consistent, since they are not plain counts of declared cells: {0}.": (
        "No se hacen coherentes, porque no son recuentos simples de celdas declaradas: {0}."
    ),
    "Values outside the declared bounds count as the nearest bound{0}.": "Los valores fuera de los límites declarados "
    "cuentan como el límite más cercano{0}.",
    "Values outside the declared bounds count as no value{0}.": "Los valores fuera de los límites declarados cuentan "
    "como si no hubiera valor{0}.",
    "Values below the declared bounds count as no value, values above as that bound{0}.": "Los valores por debajo de "
    "los límites declarados cuentan como si no hubiera valor, y los valores por encima, como ese límite{0}.",
    "Values above the declared bounds count as no value, values below as that bound{0}.": "Los valores por encima de "
    "los límites declarados cuentan como si no hubiera valor, y los valores por debajo, como ese límite{0}.",
}
