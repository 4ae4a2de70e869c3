-- The second step of the layout: a population may promise that nothing of it is ever discovered.

ALTER TABLE populations ADD COLUMN discovers INTEGER NOT NULL DEFAULT 1
    CHECK (discovers IN (0, 1) AND (discovers = 1 OR currency = 'zcdp'));

DROP TRIGGER ledger_stays_within_the_cap;

-- In zcdp, half of the declared δ turns ρ into ε; the other half is there to be spent. Where nothing is ever discovered,
-- all of it turns ρ into ε, and none is spent. In a currency that this layout does not know, no charge fits. A recovered
-- charge (see caps) is what another copy of this ledger spent: it counts whatever the cap, and no release can stand on it.
CREATE TRIGGER ledger_stays_within_the_cap BEFORE INSERT ON ledger
WHEN NEW.kind = 'charge' AND iif(json_valid(NEW.body), json_extract(NEW.body, '$.recovered'), 0) IS NOT 1 AND NOT EXISTS (
    SELECT 1 FROM populations JOIN (
        SELECT * FROM caps WHERE population = NEW.population ORDER BY seq DESC LIMIT 1
    ) AS cap
    WHERE populations.name = NEW.population AND CASE currency
        WHEN 'pure' THEN NEW.spent_epsilon_nano - before_epsilon_nano <= cap.cap_epsilon_nano
            AND NEW.spent_delta_atto - before_delta_atto <= cap.cap_delta_atto
        WHEN 'zcdp' THEN NEW.spent_rho_nano - before_rho_nano <= cap.cap_rho_nano
            AND NEW.spent_delta_atto - before_delta_atto <= iif(discovers, cap.cap_delta_atto / 2, 0)
    END
)
BEGIN
    SELECT RAISE(ABORT, 'ledger: the charge would take the population over its cap');
END;
