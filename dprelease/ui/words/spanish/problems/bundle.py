"""Of bundles, their signatures and addresses."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "a folder with bundles in it": "una carpeta que contiene paquetes",
    "Name one of them, such as {0}.": "Nombre uno de ellos, como {0}.",
    "no such file or folder: {0}": "no existe ese archivo ni carpeta: {0}",
    "the path of a bundle: a folder or a zip file": "la ruta de un paquete: una carpeta o un archivo zip",
    "It cannot be reached ({0}).": "No se puede acceder a ella ({0}).",
    "The server does not answer as web servers do ({0}).": "El servidor no responde como un servidor web ({0}).",
    "The server does not answer in time.": "El servidor no responde a tiempo.",
    "The server says 404 to SHA256SUMS there. The files of a release lie at …/releases/ID/ of a portal, and at /r/ID/ "
    "of a dashboard.": "El servidor responde 404 a SHA256SUMS. Los archivos de una publicación están en …/releases/ID/ "
    "de un portal, y en /r/ID/ de un panel.",
    "The server says {0} {1}.": "El servidor dice {0} {1}.",
    "the path of a file that can be read, of at most {0} bytes": "la ruta de un archivo que se pueda leer, de {0} "
    "bytes como mucho",
    "the web address of a file or bundle": "la dirección web de un archivo o de un paquete",
    "a file that the bundle lists": "un archivo que figure en la lista del paquete",
    "a statistic of the release": "una estadística de la publicación",
    "a number of more than 80 digits": "un número de más de 80 cifras",
    "a fingerprint such as ed25519:<64 hexadecimal digits>, or the path of a signer.pub": (
        "una huella como ed25519:<64 dígitos hexadecimales>, o la ruta de un signer.pub"
    ),
    "a folder with published bundles": "una carpeta con paquetes publicados",
    "the id of a release": "el identificador de una publicación",
    "The older one says more. Remove {0} first if you want to replace it.": "El más antiguo dice más. Si quiere "
    "sustituirlo, quite antes {0}.",
    "Unpack it first.": "Descomprímalo antes.",
    "a PEM file with the certificates of the timestamp authority, up to the root, which signed itself": (
        "un archivo PEM con los certificados de la autoridad de sellado de tiempo, hasta la raíz, que se firmó a sí "
        "misma"
    ),
    "a bundle without one": "un paquete que no lo tenga",
    "format {0}": "el formato {0}",
    "format {0}, of another version of dprelease": "el formato {0}, de otra versión de dprelease",
    "one with a timestamp": "uno con sello de tiempo",
    "the folder of a bundle": "la carpeta de un paquete",
    "{0} certificates without a root": "{0} certificados sin raíz",
}
