import type { Database, QueryAnswer, QueryOptions } from '../../src/db/engine/port.ts'
import { Random } from './random.testing.ts'

/**
 * A database that sometimes fails as PostgreSQL does. A conflict fails the statement before it has an effect, or the commit.
 * A lost connection loses the statement, or only its answer.
 */
export class FaultyDatabase implements Database {
  readonly kind: Database['kind']
  /** The database without injected faults. */
  readonly inner: Database
  #random = new Random(0)
  #conflicts = 0
  #losses = 0
  #slow: { readonly sql: RegExp; readonly over: Promise<void> } | undefined
  /** How often each fault was injected, by its code. */
  readonly injected = new Map<string, number>()

  constructor(inner: Database) {
    this.kind = inner.kind
    this.inner = inner
  }

  /** From now on this share of transactions fails: half of it at once, half at the commit where there is one. */
  async conflict(share: number, random: Random): Promise<void> {
    await makeConflictsAtCommit(this.inner, share / 2, random)
    this.#random = random.fork()
    this.#conflicts = share / 2
  }

  /** From now on this share of statements loses its connection. */
  lose(share: number, random: Random): void {
    this.#random = random.fork()
    this.#losses = share
  }

  /** Blocks matching statements until the returned function is called. */
  stall(sql: RegExp): () => void {
    let resume!: () => void
    const over = new Promise<void>((resolve) => {
      resume = resolve
    })
    this.#slow = { sql, over }
    return () => {
      this.#slow = undefined
      resume()
    }
  }

  /** From now on nothing fails. */
  async heal(): Promise<void> {
    this.#conflicts = 0
    this.#losses = 0
    await noConflictsAtCommit(this.inner)
  }

  async query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryAnswer<Row>> {
    if (this.#slow?.sql.test(sql)) await this.#slow.over
    if (this.#random.chance(this.#conflicts)) throw this.#conflictError()
    if (!this.#random.chance(this.#losses)) return this.inner.query(sql, parameters, options)
    if (this.#random.chance(0.5)) await this.inner.query(sql, parameters, options)
    throw this.#lossError()
  }

  script(sql: string): Promise<void> {
    return this.inner.script(sql)
  }

  close(): Promise<void> {
    return this.inner.close()
  }

  #conflictError(): Error {
    return this.#random.chance(0.5)
      ? this.#error('40001', 'could not serialize access due to concurrent update')
      : this.#error('40P01', 'deadlock detected')
  }

  /** As pg reports it: the socket's error, or the server's last message. */
  #lossError(): Error {
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
export async function makeConflictsAtCommit(db: Database, share: number, random: Random): Promise<void> {
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
      -- The parts of a divided table get the trigger from it.
      FOR t IN SELECT quote_ident(relname) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
          AND relname NOT IN ('migrations', 'sql_functions') LOOP
        EXECUTE 'CREATE CONSTRAINT TRIGGER reliability_conflict AFTER INSERT OR UPDATE OR DELETE ON ' || t ||
          ' DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION reliability_conflict()';
      END LOOP;
    END $$;`)
}

/** The number of commits that failed this way. */
export async function conflictsAtCommit(db: Database): Promise<number> {
  const { rows } = await db.query<{ count: bigint }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM reliability_conflicts',
  )
  return Number(rows[0]!.count)
}

/** From now on no commit fails by itself. */
export function noConflictsAtCommit(db: Database): Promise<void> {
  return db.script(
    'DROP FUNCTION IF EXISTS reliability_conflict() CASCADE; DROP SEQUENCE IF EXISTS reliability_conflicts',
  )
}
