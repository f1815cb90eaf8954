/**
 * Rejects changes to a platform's config that do not change its version, because processes cache configs by
 * version (`platforms/config-cache.ts`).
 */
export const refuseConfigOfSameVersion = `
CREATE OR REPLACE FUNCTION refuse_config_of_same_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the config of a platform changes with its version: platforms.version has to move on';
END $$;

CREATE TRIGGER platforms_config_version BEFORE UPDATE OF config ON platforms
  FOR EACH ROW WHEN (NEW.version <= OLD.version) EXECUTE FUNCTION refuse_config_of_same_version();
`
