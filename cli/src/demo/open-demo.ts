import { Countersign, CountersignError } from '@countersign/sdk'
import type { Credentials } from '../connection/credentials.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { Script } from '../terminal/script.ts'

/** The API client and the script output shared by all steps of a demo. */
export interface Demo {
  readonly countersign: Countersign
  readonly script: Script
}

/** Checks the credentials before the first step. Throws Failure if the server rejects them. */
export async function openDemo(credentials: Credentials): Promise<Demo> {
  const script = new Script((text) => io().stdout.write(text))
  const demo = { countersign: new Countersign(credentials), script }
  await checkAccess(demo, credentials)
  return demo
}

async function checkAccess({ countersign }: Demo, { baseUrl, tokenId }: Credentials): Promise<void> {
  try {
    await countersign.call('config_get')
  } catch (error) {
    if (!(error instanceof CountersignError) || error.status !== 401) throw error
    throw new Failure(
      `${baseUrl} rejects ${tokenId} with this secret: the credentials belong to another server or data directory.`,
    )
  }
}
