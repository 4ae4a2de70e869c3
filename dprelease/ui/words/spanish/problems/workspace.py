"""Of the operations of a workspace."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "Try again when nobody replaces rows. If the table is lost, replace the rows or delete the table.": (
        "Inténtelo cuando nadie reemplace filas. Si la tabla se ha perdido, reemplace las filas o elimine la tabla."
    ),
    "Make one with `dprelease init` or `Workspace.create`, or say where it is.": (
        "Cree uno con `dprelease init` o `Workspace.create`, o indique dónde está."
    ),
    "Open it with `Workspace.open`.": "Ábralo con `Workspace.open`.",
    "a known one, or one that is soon guessed": "una conocida, o que se adivina pronto",
    "one that nobody would try": "una que nadie probaría",
    "a new folder": "una carpeta nueva",
    "a workspace: {0}": "un espacio de trabajo: {0}",
    "the folder of a workspace": "la carpeta de un espacio de trabajo",
    "a folder outside of what is copied": "una carpeta que no esté dentro de lo que se copia",
    "a folder that `dprelease backup` made": "una carpeta que haya hecho `dprelease backup`",
    "a folder that can be written": "una carpeta en la que se pueda escribir",
    "a new or empty folder": "una carpeta nueva o vacía",
    "a table for each dataset whose rows were not deleted": "una tabla por cada conjunto de datos cuyas filas no se "
    "eliminaron",
    "a workspace in memory": "un espacio de trabajo en memoria",
    "a workspace on disk": "un espacio de trabajo en disco",
    "inside {0}": "dentro de {0}",
    "none for {0}": "ninguna para {0}",
    "not empty: {0}": "no está vacía: {0}",
    "Make a first one by `dprelease ledger checkpoint --out FILE`, or mend its address.": (
        "Haga el primero con `dprelease ledger checkpoint --out FILE`, o corrija su dirección."
    ),
    "a file that `dprelease ledger checkpoint --out FILE` made": "un archivo que haya hecho `dprelease ledger "
    "checkpoint --out FILE`",
    "a file that can be written": "un archivo en el que se pueda escribir",
    "a signed checkpoint that can be read": "un punto de control firmado que se pueda leer",
    "more than a checkpoint, which is not replaced: {0}": "más que un punto de control, que no se reemplaza: {0}",
    "nothing that can be read: {0}": "nada que se pueda leer: {0}",
    "Where that key is yours, give it too.": "Si esa clave es suya, indíquela también.",
    "a checkpoint of this workspace": "un punto de control de este espacio de trabajo",
    "a checkpoint signed by {0}, which is not a key of this workspace": "un punto de control firmado por {0}, que no "
    "es una clave de este espacio de trabajo",
    "a ledger that one speaks against": "un libro mayor al que uno contradiga",
    "another name: this one has a meaning here": "otro nombre: este tiene aquí un significado",
    "none is kept outside": "no se guarda ninguno fuera",
    "one that it does not": "uno que no continúe",
    "one that this ledger continues": "uno que este libro mayor continúa",
    "some words": "unas palabras",
    "Raise ε or δ, or choose the currency pure.": "Aumente ε o δ, o elija la forma de cómputo pure.",
    "a cap that comes to at least ρ = 1e-9": "un tope que equivalga al menos a ρ = 1e-9",
    "{0}, which comes to less than ρ = 1e-9": "{0}, que equivale a menos de ρ = 1e-9",
    "The page Review says what it means. Change the plan, or the policy.": "La página Revisión dice qué significa. "
    "Cambie el plan o la política.",
    "a plan without this finding, by the policy of this workspace": "un plan sin este hallazgo, según la política de "
    "este espacio de trabajo",
    "the name of another person who was invited as a reviewer": "el nombre de otra persona invitada para revisar",
    "Register other rows for it.": "Registre otras filas para él.",
    "What the ledger says is published stays so: mend that, and publish or resume again.": (
        "Lo que el libro mayor da por publicado lo sigue estando: corríjalo, y publique o reanude otra vez."
    ),
    "one for somebody who signs in at the identity provider": "una para quien inicia sesión en el proveedor de "
    "identidad",
    "signing in there alone: who leaves there must be out here too": "iniciar sesión solo allí: quien se va de allí "
    "debe quedar fuera también aquí",
    "a dataset with a table": "un conjunto de datos con tabla",
    "a folder that can be written, with room": "una carpeta en la que se pueda escribir, con espacio",
    "an error": "un error",
    "one whose table was deleted": "uno cuya tabla se eliminó",
    "an upload that was not yet registered or discarded": "un archivo subido que aún no se haya registrado ni "
    "descartado",
    "more bytes than are taken": "más bytes de los que se admiten",
    "at most {0} bytes": "como mucho {0} bytes",
    "Verify it with the version that it was made by.": "Verifíquelo con la versión con la que se hizo.",
    "a signed checkpoint, or the ledger.json of a release ({0})": "un punto de control firmado, o el ledger.json de "
    "una publicación ({0})",
    "the private file that dprelease wrote": "el archivo privado que escribió dprelease",
    "Ask for the population first: dprelease population add, or the page of datasets.": (
        "Solicite antes la población: dprelease population add, o la página de conjuntos de datos."
    ),
    "a new name": "un nombre nuevo",
    "the bytes that are registered already": "los bytes que ya están registrados",
    "other rows": "otras filas",
    "Publishing them again is charged again; `publish --once NAME` returns what the first published. "
    "Say that you mean it: `dataset replace --same-rows`, or `same=True`.": (
        "Publicarlos otra vez se vuelve a cargar; `publish --once NOMBRE` devuelve lo que publicó la primera vez. Diga "
        "que es lo que quiere: `dataset replace --same-rows`, o `same=True`."
    ),
    "a new one, which takes a second person in a team": "una nueva, que en equipo requiere a una segunda persona",
    "a registered population, or an ε for a new one": "una población registrada, o un ε para una nueva",
    "a workspace on disk, or `add_dataset`": "un espacio de trabajo en disco, o `add_dataset`",
    "a workspace on disk, or `release.write`": "un espacio de trabajo en disco, o `release.write`",
    "{0}, which is registered": "{0}, que ya está registrada",
    "{0}: not a signed checkpoint": "{0}: no es un punto de control firmado",
    "the signature of the checkpoint is not hexadecimal": "la firma del punto de control no es hexadecimal",
    "the ledger does not continue the checkpoint kept outside: {0}. Nothing is spent until a reviewer accepts that.": (
        "el libro mayor no continúa el punto de control guardado fuera: {0}. No se gasta nada hasta que alguien que "
        "revisa lo acepte."
    ),
    "a file in one of the folders of ${0}": "un archivo en una de las carpetas de ${0}",
    "the path of a CSV, Excel, SPSS, Stata, JSON Lines or Parquet file": "la ruta de un archivo CSV, Excel, SPSS, "
    "Stata, JSON Lines o Parquet",
    "too many files that wait": "demasiados archivos que esperan",
    "at most {0} files": "como mucho {0} archivos",
    "Register or delete some of them first.": "Registre o elimine antes algunos.",
    "too little room on the disk": "muy poco sitio en el disco",
    "{0} times the size of the file": "{0} veces el tamaño del archivo",
    "Ask whoever runs this server for more.": "Pida más a quien administra este servidor.",
    "a file that cannot be copied": "un archivo que no se puede copiar",
    "one that can": "uno que sí se pueda",
    "{0}, who is disabled": "{0}, que está desactivada",
    "somebody who may sign in": "alguien que pueda iniciar sesión",
    "the id of a token of your own": "el identificador de un token propio",
    "little more than the own name": "poco más que el propio nombre",
    "few different characters": "pocos caracteres distintos",
    "{0} to {1} characters of any kind": "de {0} a {1} caracteres cualesquiera",
    "something that cannot be guessed from it": "algo que no se pueda adivinar a partir de él",
    "at least {0} different ones": "al menos {0} distintos",
    "Several words in a row are easy to remember.": "Varias palabras seguidas se recuerdan con facilidad.",
    "a day up to {0}": "un día hasta el {0}",
    "Set a password first.": "Fije antes una contraseña.",
    "a password, beside which it asks for a code": "una contraseña, junto a la que se pide un código",
    "no password": "ninguna contraseña",
    "one of your own, before it is required of others": "uno propio, antes de exigirlo a otras personas",
    "Set it up on your account's page.": "Configúrelo en la página de su cuenta.",
}
