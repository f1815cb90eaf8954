import type { Database, QueryAnswer } from '../../src/db/port.ts'
import type { Random } from './random.testing.ts'

/** What befalls statements: conflicts undo them, after a loss nobody knows. */
type Fault = 'none' | 'conflict' | 'loss'

/**
 * A database that fails as PostgreSQL does, now and then. A conflict is met before the statement has done anything; how
 * it is met at the commit is `conflictAtCommit`. A lost connection took the statement with it, or only the answer to it.
 */
export class FaultyDatabase implements Database {
  readonly kind: Database['kind']
  /** Without faults. */
  readonly inner: Database
  readonly #random: Random
  #fault: Fault = 'none'
  #share = 0
  /** How often each fault was injected, by its code. */
  readonly injected = new Map<string, number>()

  constructor(inner: Database, random: Random) {
    this.kind = inner.kind
    this.inner = inner
    this.#random = random
  }

  /** From now on this share of all statements meets it. */
  inject(fault: Fault, share: number): void {
    this.#fault = fault
    this.#share = share
  }

  async query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<QueryAnswer<Row>> {
    if (this.#fault === 'none' || !this.#random.chance(this.#share)) return this.inner.query(sql, parameters)
    if (this.#fault === 'conflict') throw this.#conflict()
    if (this.#random.chance(0.5)) await this.inner.query(sql, parameters)
    throw this.#loss()
  }

  script(sql: string): Promise<void> {
    return this.inner.script(sql)
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  #conflict(): Error {
    return this.#random.chance(0.5)
      ? this.#error('40001', 'could not serialize access due to concurrent update')
      : this.#error('40P01', 'deadlock detected')
  }

  /** As pg tells of it: the socket's error, or the server's last words. */
  #loss(): Error {
    return this.#random.pick([
      () => this.#error(undefined, 'Connection terminated unexpectedly'),
      () => this.#error('ECONNRESET', 'read ECONNRESET'),
      () => this.#error('EPIPE', 'write EPIPE'),
      () => this.#error('57P01', 'terminating connection due to administrator command'),
      () => this.#error('08006', 'connection failure'),
    ])()
  }

  #error(code: string | undefined, message: string): Error {
    const name = code ?? message
    this.injected.set(name, (this.injected.get(name) ?? 0) + 1)
    return Object.assign(new Error(message), code === undefined ? {} : { code })
  }
}

/**
 * Makes a share of all transactions that write anything fail at their commit, with all they have done undone, as a
 * serialization failure or a deadlock. Which ones follows from the transaction's number and the seed.
 */
export async function conflictAtCommit(db: Database, share: number, random: Random): Promise<void> {
  const percent = Math.round(share * 100)
  await db.script(`
    CREATE SEQUENCE reliability_conflicts;
    CREATE FUNCTION reliability_conflict() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE lot integer := abs(hashint8(pg_current_xact_id()::text::bigint + ${random.below(1_000_000)}) % 200);
    BEGIN
      IF lot >= ${2 * percent} THEN RETURN NULL; END IF;
      -- What a sequence has given out stays given out.
      PERFORM nextval('reliability_conflicts');
      IF lot < ${percent} THEN RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'; END IF;
      RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
    END $$;
    DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations' LOOP
        EXECUTE 'CREATE CONSTRAINT TRIGGER reliability_conflict AFTER INSERT OR UPDATE OR DELETE ON ' || t ||
          ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reliability_conflict()';
      END LOOP;
    END $$;`)
}

/** From now on no commit fails by itself. Gives how many did. */
export async function endConflictsAtCommit(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM reliability_conflicts',
  )
  await db.script('DROP FUNCTION reliability_conflict() CASCADE; DROP SEQUENCE reliability_conflicts')
  return Number(rows[0]!.count)
}
