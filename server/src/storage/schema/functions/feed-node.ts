/**
 * Identifies the PostgreSQL cluster on which this transaction runs, by its system identifier. Every copy of
 * the data has a different one, unless its files were copied. Empty if the role may not read it.
 */
export const feedNode = `
CREATE OR REPLACE FUNCTION feed_node() RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
    RETURN (SELECT system_identifier::text FROM pg_control_system());
  END IF;
  RETURN '';
END $$;
`
