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
    "a database of dprelease 0.1": "una base de datos de dprelease 0.1",
    "Open it with dprelease 0.1, or choose another folder for the workspace.": "Ábrala con dprelease 0.1, o elija otra "
    "carpeta para el espacio de trabajo.",
    "one that this version made, or none yet": "una que haya hecho esta versión, o ninguna todavía",
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
    "{0}, under which another plan of {1} was published: {2}": "{0}, con el que se publicó otro plan de {1}: {2}",
    "the plan that was published under this name, or a new name": "el plan que se publicó con este nombre, o un "
    "nombre nuevo",
    "{0}, and a release of this plan that has another name or none": "{0}, y una publicación de este plan que tiene "
    "otro nombre o ninguno",
    "a plan that is published under names only": "un plan que solo se publique con nombres",
    "Charge another release by `again`.": "Cargue otra publicación con `again`.",
    "Finish it first: dprelease release resume.": "Termínela antes: dprelease release resume.",
    "the changed plan that follows it": "el plan cambiado que lo sigue",
    "{0}, which was returned and is unchanged": "{0}, que se devolvió y no ha cambiado",
    "a plan that was changed": "un plan que se haya cambiado",
    "Change what was remarked, then submit it: {0}": "Cambie lo que se señaló y envíelo después: {0}",
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
    "Finish this release with the version of dprelease that drew it.": "Termine esta publicación con la versión de "
    "dprelease que hizo el sorteo.",
    "Submit the plan again.": "Envíe el plan otra vez.",
    "a draw with other noise than this version of dprelease draws": "un sorteo con otro ruido que el que sortea esta "
    "versión de dprelease",
    "the noise that the certificate states": "el ruido que indica el certificado",
    "a plan that was charged {0} and now costs {1}": "un plan por el que se cargó {0} y que ahora cuesta {1}",
    "rows of {0} that were replaced since the plan was submitted": "filas de {0} que se reemplazaron después de enviar "
    "el plan",
    "the price it was charged": "el precio por el que se cargó",
    "the rows it was submitted for": "las filas para las que se envió",
    "somebody who was invited": "alguien a quien se haya invitado",
    "the ledger database is damaged: {0}": "la base de datos del libro mayor está dañada: {0}",
    "the ledger database was replaced by another one while it was in use. Nothing is spent, and nothing is written. "
    "Stop every dprelease process of this workspace, put the right ledger.db in its place, and start again.": "la base "
    "de datos del libro mayor fue sustituida por otra mientras estaba en uso. No se gasta ni se escribe nada. Detenga "
    "todos los procesos de dprelease de este espacio de trabajo, ponga en su sitio el ledger.db correcto y vuelva a "
    "empezar.",
    "the table of the dataset {0} is not what was registered: its file was changed or damaged. None of its rows was "
    "used. Put the file back from a backup, or replace the rows.": "la tabla del conjunto de datos {0} no es la que se "
    "registró: su archivo se modificó o se dañó. No se usó ninguna de sus filas. Restablezca el archivo desde una "
    "copia de seguridad o sustituya las filas.",
    "the table of the dataset {0} is not what was registered: its file was changed or damaged, so nothing was copied. "
    "Put the file back from an earlier backup, replace the rows, or delete the table.": "la tabla del conjunto de "
    "datos {0} no es la que se registró: su archivo se modificó o se dañó, así que no se copió nada. Restablezca el "
    "archivo desde una copia de seguridad anterior, sustituya las filas o elimine la tabla.",
    "{0}, whose events cannot be read where nothing can be written": "{0}, cuyos eventos no se pueden leer donde no se "
    "puede escribir nada",
    "a ledger that was closed, or a copy that `dprelease backup` made": "un libro mayor que se cerró, o una copia "
    "hecha con `dprelease backup`",
    "Copy the whole folder to where it can be written, and open that.": "Copie la carpeta entera a un lugar donde se "
    "pueda escribir y abra esa copia.",
    "a database of an earlier layout, or an empty one": "una base de datos con una estructura anterior, o vacía",
    "one that this version opened before": "una que esta versión ya haya abierto",
    "Open it once where it can be written.": "Ábrala una vez donde se pueda escribir.",
    "a place where nothing can be written": "un lugar donde no se puede escribir nada",
    "a workspace folder that can be written": "una carpeta de espacio de trabajo en la que se pueda escribir",
    "Copy the workspace to such a folder, and do this there.": "Copie el espacio de trabajo a una carpeta así y "
    "hágalo allí.",
    "the ledger has {0} events, and a checkpoint was given out for {1}: its end is missing": "el libro mayor tiene {0} "
    "eventos y se entregó un punto de control de {1}: falta el final",
    "the checkpoint of the first {0} events is not the one that they make": "el punto de control de los primeros {0} "
    "eventos no es el que resulta de ellos",
    "release {0}: what is kept of it cannot be read": "publicación {0}: lo que se guarda de ella no se puede leer",
    "release {0}: its {1} is not what the ledger tells of": "publicación {0}: {1} no es lo que cuenta el libro mayor",
    "checkpoints: what stands there is not what the ledger tells of": "puntos de control: lo que hay ahí no es lo que "
    "cuenta el libro mayor",
    "the ledger database is damaged: a text in it cannot be read": "la base de datos del libro mayor está dañada: "
    "no se puede leer un texto que contiene",
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
    "{0}, who was invited before": "{0}, a quien ya se invitó",
    "a name that nobody has or had": "un nombre que nadie tenga ni haya tenido",
    "Change the roles of that person, or reset how they sign in: they are told of it.": "Cambie las funciones de esa "
    "persona, o restablezca su acceso: se le avisa.",
    "somebody who signs in here, by a link or a password": "alguien que inicie sesión aquí, con un "
    "enlace o una contraseña",
    "Turn that one off first.": "Desactive antes ese.",
    "one that is on": "uno que está activado",
    "private/keys/second-factor.key is not the key by which the secrets of second factors were encrypted: restore it "
    "from a backup, or reset these people": "private/keys/second-factor.key no es la clave con la que se cifraron los "
    "secretos de los segundos factores: restáurela de una copia, o restablezca el acceso de estas personas",
}
