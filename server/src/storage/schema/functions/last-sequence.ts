/**
 * The number of an object's last event. The search starts a day before the time in the object's id, because
 * server clocks differ, so that older months are not read, and continues in the index of the archives. Ids
 * without a time seem to be later than the event, so they are searched for everywhere.
 */
export const lastSequence = `
CREATE OR REPLACE FUNCTION last_sequence(object uuid, event uuid) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- The first 32 bits of an id count 2^16 milliseconds; 1,319 of them are a day.
  made bigint := ('x' || left(object::text, 8))::bit(32)::bigint - 1319;
  since uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
  IF object < event AND made > 0 THEN
    since := rpad(lpad(to_hex(made), 8, '0'), 32, '0')::uuid;
  END IF;
  RETURN coalesce(
    (SELECT sequence FROM events WHERE object_id = object AND id >= since ORDER BY sequence DESC LIMIT 1),
    (SELECT a.last_sequence FROM archived_events AS a WHERE a.object_id = object),
    0);
END $$;
`
