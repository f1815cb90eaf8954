import type { Database } from '../engine/port.ts'
import { records } from './migrations/0001-records.ts'
import { ledger } from './migrations/0002-ledger.ts'
import { commit } from './migrations/0003-commit.ts'
import { messages } from './migrations/0004-messages.ts'
import { money } from './migrations/0005-money.ts'
import { webhooks } from './migrations/0006-webhooks.ts'
import { commitTogether } from './migrations/0007-commit-together.ts'
import { sandbox } from './migrations/0009-sandbox.ts'
import { agents } from './migrations/0010-agents.ts'
import { cards } from './migrations/0011-cards.ts'
import { commitRows } from './migrations/0012-commit-rows.ts'
import { order } from './migrations/0013-order.ts'
import { agentMoney } from './migrations/0014-agent-money.ts'
import { signInLimits } from './migrations/0017-sign-in-limits.ts'
import { cardClaims } from './migrations/0019-card-claims.ts'
import { closedAccounts } from './migrations/0019-closed-accounts.ts'
import { pulledQuotes } from './migrations/0020-pulled-quotes.ts'
import { questions } from './migrations/0021-questions.ts'
import { dataKeys } from './migrations/0022-data-keys.ts'
import { configVersions } from './migrations/0024-config-versions.ts'

/** Forward only: what has landed is never edited, a change is a new file at the end. */
const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '0001-records', sql: records },
  { name: '0002-ledger', sql: ledger },
  { name: '0003-commit', sql: commit },
  { name: '0004-messages', sql: messages },
  { name: '0005-money', sql: money },
  { name: '0006-webhooks', sql: webhooks },
  { name: '0007-commit-together', sql: commitTogether },
  { name: '0009-sandbox', sql: sandbox },
  { name: '0010-agents', sql: agents },
  { name: '0011-cards', sql: cards },
  { name: '0012-commit-rows', sql: commitRows },
  { name: '0013-order', sql: order },
  { name: '0014-agent-money', sql: agentMoney },
  { name: '0017-sign-in-limits', sql: signInLimits },
  { name: '0019-closed-accounts', sql: closedAccounts },
  { name: '0019-card-claims', sql: cardClaims },
  { name: '0020-pulled-quotes', sql: pulledQuotes },
  { name: '0021-questions', sql: questions },
  { name: '0022-data-keys', sql: dataKeys },
  { name: '0024-config-versions', sql: configVersions },
]

/** Chosen once at random; any number that nothing else on the database server locks. */
const MIGRATION_LOCK = 7_202_510_132

/** Brings the database up to this build. Processes that start together take turns. */
export async function migrate(db: Database): Promise<void> {
  if ((await applied(db)).length === MIGRATIONS.length) return
  // One transaction: the lock, each migration that is still missing once the lock is ours, and its record.
  const steps = MIGRATIONS.map(
    ({ name, sql }) => `
DO $outer$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM migrations WHERE name = '${name}') THEN
    EXECUTE $migration$${sql}$migration$;
    INSERT INTO migrations (name) VALUES ('${name}');
  END IF;
END $outer$;`,
  )
  await db.script(`
SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
${steps.join('\n')}`)
  const names = await applied(db)
  const unknown = names.filter((name) => !MIGRATIONS.some((migration) => migration.name === name))
  if (unknown.length > 0)
    throw new Error(`This database was migrated by a newer build (${unknown.join(', ')}).`)
}

async function applied(db: Database): Promise<string[]> {
  const exists = await db.query<{ there: boolean }>(`SELECT to_regclass('migrations') IS NOT NULL AS there`)
  if (!exists.rows[0]!.there) return []
  return (await db.query<{ name: string }>('SELECT name FROM migrations ORDER BY name')).rows.map(
    (row) => row.name,
  )
}
