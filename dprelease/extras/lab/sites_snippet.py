"""The program of the page of several sites: rows, noise and method anew, with numpy and nothing of this project."""

from __future__ import annotations

import json

from dprelease.extras.lab import graphs
from dprelease.extras.lab.federated import FederatedTrial
from dprelease.extras.lab.patients import Patients
from dprelease.extras.lab.several import EPSILONS, SitesRun
from dprelease.extras.lab.snippets import UNIFORMS

SETTINGS = "@settings@"
PROGRAM = f"""import hashlib

import numpy as np

{SETTINGS}


{UNIFORMS}

def normals(seed, *shape):
    one, two = uniforms(seed, 2, *shape)
    return np.sqrt(-2 * np.log(one)) * np.cos(2 * np.pi * two)


def shorter(x, most):
    return x * np.minimum(1, most / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300))


beta, moments = np.array([0.0711, 0.3644, -0.0926, 0.48]), np.eye(5)
moments[1, 3] = moments[3, 1] = (1 - 0.3764 - beta @ beta) / (2 * beta[1] * beta[3])
moments[:4, 4] = moments[4, :4] = moments[:4, :4] @ beta
raw = normals("1 0 rows", rows, 5)
raw -= raw.mean(axis=0)
data = raw @ np.linalg.inv(np.linalg.cholesky(raw.T @ raw / rows)).T @ np.linalg.cholesky(moments).T
data = data[np.argsort(data[:, 4] + 2 * normals("1 0 sites", rows))]
sites = np.split(data, np.cumsum([rows * site // 28 for site in range(1, 8)])[:-1])
shares = np.array([len(site) for site in sites]) / rows


def error(epsilon, rho):  # without a rho as printed: noise of 1/epsilon, batches of 32
    seed, w, pays = f"1 0 {{rows}} {{epsilon}}", np.zeros((7, 4)), np.sqrt(rounds / 2 / rho) if rho else 1 / epsilon
    for turn in range(rounds):
        sent = []
        for k, site in enumerate(sites):
            x, y = site[:, :4], site[:, 4]
            if method == "proximal":
                noise = normals(f"{{seed}} noise {{('honest' if rho else 'meant', turn, k)}}", 4)
                at = x.T @ x / len(x) + near * np.eye(4), x.T @ y / len(x) + near * w[k]
                at = np.linalg.solve(*at)
                at, paid = (shorter(at[None], 1.25)[0], pays) if rho else (at, pays / len(x))
                sent.append(at + 2.5 * paid * noise)
                continue
            noise = 1.25 * normals(f"{{seed}} noise {{('gradient', turn, k)}}", 4)
            if not rho:
                batch = (uniforms(f"{{seed}} batch {{turn}} {{k}}", 32) * len(x)).astype(int)
                x, y = x[batch], y[batch]
            sent.append((shorter(x * (x @ w[k] - y)[:, None], 1.25).sum(axis=0) + pays * noise) / len(y))
        sent = np.array(sent)
        if method == "neighbours":
            w = W[::-1, ::-1] @ w - 0.2 * 7 * shares[:, None] * sent  # site 1 has most rows
        else:
            w = np.tile(shares @ sent if method == "proximal" else w[0] - 0.5 * shares @ sent, (7, 1))
    return np.mean([((data[:, 4] - data[:, :4] @ each) ** 2).mean() for each in w])


print("curve,at,as_printed,paid_for")
for place, value in enumerate(sorted(abs(np.linalg.eigvals(shown)), reverse=True), 1):
    print("eigenvalue", place, value, "", sep=",")
for epsilon, rho in zip(epsilons, rhos):
    print("error", epsilon, error(epsilon, 0), error(epsilon, rho), sep=",")
"""


def sites_snippet(run: SitesRun, graph: str) -> str:
    """Return the program of one method; `graph`: the one whose weights are shown."""
    chosen = graphs.weights(graph, run.weights, run.step).tolist()
    seven = graphs.weights(graphs.SEVEN, run.weights, run.step).tolist()
    nobody = Patients(())
    rhos = [FederatedTrial(nobody, "", each).rho for each in EPSILONS]
    settings = (
        f"method, near, rounds, rows = {json.dumps(run.method)}, {run.near}, {run.rounds}, {run.rows}\n"
        f"epsilons, rhos = {list(EPSILONS)}, {rhos}\nshown = np.array({chosen})\nW = np.array({seven})"
    )
    return PROGRAM.replace(SETTINGS, settings)
