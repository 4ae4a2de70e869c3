"""A release in the making on one screen: statistics, ε, what would be published beside the truth, and publishing."""

from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench.desk import desk
from dprelease.ui.workbench.opening import dataset_of
from dprelease.ui.workbench.progress import going_on
from dprelease.ui.workbench.saving import resume

blocks.message()
with kindly():
    draft = resume()  # also while it is being published: whoever goes back from the release finds the same plan
    if not going_on(draft.title or say("workbench_title")):
        dataset = dataset_of(draft)
        if dataset is not None:
            desk(dataset, workspace().populations.of(dataset.name, actor=actor()))
