"""Randomized response that was made before the answers arrived: they are counted, and nothing is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from dprelease.errors import PlanError
from dprelease.mechanisms.mechanism import Integers, check_whole, pure_epsilon
from dprelease.mechanisms.randomized_response import RandomizedResponse, truth_within
from dprelease.mechanisms.response import check_substituted, scale_of
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.words import verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedResponse(RandomizedResponse):
    """Number of rows that tell each of k answers, as they arrived: changed one by one where they were given.

    Loss: pure ε = ln(p (k − 1) / (1 − p)), that of the randomized response which made them, with respect to the true
    answers. The draw was made then, so that no coin is flipped here, and the same answers give the same counts each
    time. That loss is nothing that this program brings about: it stands on the declaration of the column, by which
    alone p is known. `truth` is the largest float whose loss is at most the declared ε.
    """

    name: ClassVar[str] = "arrived_response"

    @classmethod
    def calibrate(
        cls, sensitivity: Sensitivity, share: PrivacyLoss, *, answers: int, truth: float | None = None, **settings: Any
    ) -> Self:
        """Return the mechanism with true answers of probability `truth`: what share pays for it does not change them.

        Without `truth`, that of the whole share. Raises PlanError where the share pays for less than they cost.
        """
        check_whole("answers", answers, least=2)
        check_substituted(sensitivity)
        chance = truth_within(answers, pure_epsilon(share)) if truth is None else truth
        made = cls(sensitivity=sensitivity, share=share, scale=scale_of(share), answers=answers, truth=chance)
        if not made.loss(share.currency).within(share):
            raise PlanError("epsilon", found=verbatim(str(share)), allowed=verbatim(f">= {float(made.epsilon):g}"))
        return made

    def release(self, values: Integers) -> Integers:
        return self.checked(values)

    @property
    def settings(self) -> dict[str, Any]:
        return {"answers": self.answers, "truth": self.truth}

    @property
    def derived(self) -> dict[str, Any]:
        return {}
