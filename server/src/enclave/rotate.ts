import { openAtRest, sealAtRest } from '../crypto/seal.ts'
import type { Database } from '../db/port.ts'
import { DATA_KEY, MasterKeyError } from './in-process.ts'

/**
 * Puts the data key under another master key. Everything else is sealed under the data key and stays as it is; servers
 * that are running hold the data key already and go on. Throws MasterKeyError where `masterKey` is not the present one.
 */
export async function rotateMasterKey(
  db: Database,
  masterKey: Uint8Array,
  newMasterKey: Uint8Array,
): Promise<void> {
  const { rows } = await db.query<{ sealed: Uint8Array }>(
    'SELECT sealed FROM enclave_secrets WHERE name = $1',
    [DATA_KEY],
  )
  const sealed = rows[0]?.sealed
  const dataKey = sealed && openAtRest(masterKey, sealed, DATA_KEY)
  if (!dataKey) throw new MasterKeyError('COUNTERSIGN_MASTER_KEY is not the master key of this database.')
  const { affected } = await db.query(
    'UPDATE enclave_secrets SET sealed = $1 WHERE name = $2 AND sealed = $3',
    [sealAtRest(newMasterKey, dataKey, DATA_KEY), DATA_KEY, sealed],
  )
  if (affected !== 1) throw new Error('The master key was rotated by someone else at the same time.')
}
