/**
 * The PostgreSQL cluster that this transaction runs on, by its system identifier: every copy of the data that is not a
 * copy of the files has another one. Empty if the role may not read it.
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
