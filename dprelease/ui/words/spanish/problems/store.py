"""Of what is registered, submitted and published."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "one of another workspace": "uno de otro espacio de trabajo",
    "one of this workspace": "uno de este espacio de trabajo",
    "Keep the workspace on a local disk, not on a network drive.": "Guarde el espacio de trabajo en un disco local, no "
    "en una unidad de red.",
    "This step changed nothing. Mend that and try again.": "Este paso no ha cambiado nada. Corríjalo e inténtelo otra "
    "vez.",
    "a workspace folder that can be written, on a local disk with room": "una carpeta de trabajo en la que se pueda "
    "escribir, en un disco local con espacio",
    "Choose another name, or replace the rows of the dataset that is there.": "Elija otro nombre, o reemplace las "
    "filas del conjunto de datos que ya está.",
    "Finish that release first.": "Termine antes esa publicación.",
    "a dataset without interrupted releases": "un conjunto de datos sin publicaciones interrumpidas",
    "a name that no dataset has": "un nombre que no tenga ningún conjunto de datos",
    "a registered dataset": "un conjunto de datos registrado",
    "rows that the release {0} was charged for and is not drawn from yet": "filas por las que se cargó la publicación "
    "{0} y que aún no se han sorteado",
    "Delete some of them.": "Elimine algunos.",
    "It may have been deleted.": "Puede que se haya eliminado.",
    "Open it again, or keep this one as a copy.": "Ábralo de nuevo, o guarde este como copia.",
    "a draft of one's own": "un borrador propio",
    "one that was changed elsewhere meanwhile": "uno que entretanto se cambió en otro lugar",
    "the draft as it was read": "el borrador tal como se leyó",
    "{0} bytes": "{0} bytes",
    "{0} drafts": "{0} borradores",
    "Choose another folder for the workspace.": "Elija otra carpeta para el espacio de trabajo.",
    "Use the version of dprelease that last opened this workspace, or a later one.": "Use la versión de dprelease que "
    "abrió por última vez este espacio de trabajo, o una posterior.",
    "a database of a newer version of dprelease": "una base de datos de una versión posterior de dprelease",
    "a database of another program": "una base de datos de otro programa",
    "one that dprelease made, or none yet": "una que haya hecho dprelease, o ninguna todavía",
    "version {0} or earlier": "la versión {0} o una anterior",
    "another release": "otra publicación",
    "the id of a published release": "el identificador de una publicación ya publicada",
    "it is not approved": "no está aprobado",
    "it was approved by its author": "lo aprobó quien lo escribió",
    "it was returned": "se devolvió",
    "its approval was used for a release": "su aprobación ya se usó para una publicación",
    "one that waits or is approved": "uno pendiente o aprobado",
    "one that was returned": "uno que se devolvió",
    "one that was submitted again": "uno que se haya enviado otra vez",
    "one whose release is charged and not yet published": "uno cuya publicación está cargada y todavía no publicada",
    "since it was approved, changed: {0}": "desde que se aprobó, ha cambiado: {0}",
    "the id of a submitted plan": "el identificador de un plan enviado",
    "Choose another name, or register the dataset in the population that is there: they share its budget.": (
        "Elija otro nombre, o registre el conjunto de datos en la población que ya está: comparten su presupuesto."
    ),
    "Return it, and ask again.": "Devuélvala y solicítelo de nuevo.",
    "a name that no period of this population has": "un nombre que no tenga ningún periodo de esta población",
    "a name that no population has": "un nombre que no tenga ninguna población",
    "a request made since": "una solicitud hecha después",
    "an open request": "una solicitud pendiente",
    "another population": "otra población",
    "more than {0}: a cap is raised, never lowered": "más de {0}: un tope se eleva, nunca se rebaja",
    "one open request of a kind for a population": "una sola solicitud pendiente de cada clase por población",
    "one that was made for another cap than the one in force": "una que se hizo para un tope distinto del vigente",
    "one that was {0}": "una que fue {0}",
    "request {0}, which waits for a second person": "la solicitud {0}, que espera a una segunda persona",
    "the number of a request": "el número de una solicitud",
    "a registered population": "una población registrada",
    "{0}, which waits for the approval of a second person": "{0}, que espera la aprobación de una segunda persona",
    "Finish this release with the version of dprelease that charged it.": "Termine esta publicación con la versión de "
    "dprelease que la cargó.",
    "Submit the plan again.": "Envíe el plan otra vez.",
    "a plan that was charged {0} and now costs {1}": "un plan por el que se cargó {0} y que ahora cuesta {1}",
    "rows of {0} that were replaced since the plan was submitted": "filas de {0} que se reemplazaron después de enviar "
    "el plan",
    "the price it was charged": "el precio por el que se cargó",
    "the rows it was submitted for": "las filas para las que se envió",
    "somebody who was invited": "alguien a quien se haya invitado",
    "the ledger database is damaged: {0}": "la base de datos del libro mayor está dañada: {0}",
    "{0}: what stands there is not what the ledger tells of": "{0}: lo que hay ahí no es lo que cuenta el libro mayor",
    "ledger event {0}: {1}": "evento {0} del libro mayor: {1}",
    "ledger event {0}: it is missing, and a release was charged by it": "evento {0} del libro mayor: falta, y con él "
    "se cargó una publicación",
    "ledger event {0}: population {1} is not as it was registered": "evento {0} del libro mayor: la población {1} no "
    "está como se registró",
    "population {0} has no event in the ledger": "la población {0} no tiene ningún evento en el libro mayor",
    "somebody else: the owner stays, with every role": "otra persona: el titular se queda, con todas las funciones",
    "the id of a session that lasts": "el identificador de una sesión abierta",
    "the id of a token": "el identificador de un token",
    "the policy {0}": "la política {0}",
    "a workspace where previews show true values": "un espacio de trabajo donde las vistas previas muestren valores "
    "verdaderos",
    "The price of the plan says how large each error is expected to be.": "El precio del plan dice qué error se espera "
    "en cada estadística.",
}
