import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Countersign } from '../countersign.ts'
import { type Credentials, CredentialsError, findCredentials, profilesFile } from './stored-credentials.ts'

const at = (name: string): Credentials => ({
  baseUrl: `http://${name}.example/2025-10-13`,
  tokenId: `Token:${name}`,
  clientSecret: `secret of ${name}`,
})
const VARIABLES = {
  COUNTERSIGN_BASE_URL: at('variables').baseUrl,
  COUNTERSIGN_TOKEN_ID: at('variables').tokenId,
  COUNTERSIGN_CLIENT_SECRET: at('variables').clientSecret,
}

let folder: string
let bare: Readonly<Record<string, string>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-credentials-'))
})
beforeEach(async () => {
  const home = await mkdtemp(join(folder, 'home-'))
  bare = { XDG_CONFIG_HOME: join(home, 'config'), COUNTERSIGN_DATA_DIR: join(home, 'data') }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function write(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value))
}
const writeProfiles = (value: unknown) => write(profilesFile(bare), value)
const writeDataFile = (value: unknown) =>
  write(join(bare.COUNTERSIGN_DATA_DIR ?? '', 'credentials.json'), value)

describe('stored credentials', () => {
  test('are searched in the documented order', async () => {
    expect(findCredentials(bare)).toBeUndefined()
    await writeProfiles({ default: 'main', profiles: { main: at('main'), other: at('other') } })
    expect(findCredentials(bare)).toEqual(at('main'))
    await writeDataFile(at('data'))
    expect(findCredentials(bare)).toEqual(at('data'))
    expect(findCredentials({ ...bare, ...VARIABLES })).toEqual(at('variables'))
    const named = { ...bare, ...VARIABLES, COUNTERSIGN_PROFILE: 'main' }
    expect(findCredentials(named)).toEqual(at('main'))
    expect(findCredentials(named, { profile: 'other' })).toEqual(at('other'))
    const file = join(folder, 'own.json')
    await write(file, at('file'))
    expect(findCredentials(named, { credentials: file, profile: 'other' })).toEqual(at('file'))
  })

  test('that are missing or incomplete cause an error that names the missing part', async () => {
    const { COUNTERSIGN_CLIENT_SECRET: _, ...half } = VARIABLES
    expect(() => findCredentials({ ...bare, ...half })).toThrow(
      'COUNTERSIGN_TOKEN_ID is set, but not COUNTERSIGN_CLIENT_SECRET.',
    )
    expect(() => findCredentials(bare, { profile: 'none' })).toThrow('There is no profile "none". ')
    expect(() => findCredentials(bare, { credentials: join(folder, 'absent.json') })).toThrow(
      /absent\.json does not exist\./,
    )
    await writeDataFile({ baseUrl: 'http://a', tokenId: '' })
    expect(() => findCredentials(bare)).toThrow(/credentials\.json lacks tokenId, clientSecret\.$/)
    await writeDataFile('not JSON')
    expect(() => findCredentials(bare)).toThrow(CredentialsError)
    await writeProfiles({ profiles: { main: { baseUrl: 1 } } })
    expect(() => findCredentials(bare, { profile: 'main' })).toThrow('does not contain profiles')
  })
})

describe('Countersign.fromEnv', () => {
  test('creates a client with stored credentials, or explains how to log in', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', bare.XDG_CONFIG_HOME)
    vi.stubEnv('COUNTERSIGN_DATA_DIR', bare.COUNTERSIGN_DATA_DIR)
    try {
      expect(() => Countersign.fromEnv()).toThrow(/COUNTERSIGN_TOKEN_ID .* npx countersign login$/)
      await writeProfiles({ default: 'main', profiles: { main: at('main'), other: at('other') } })
      const calls: string[] = []
      const fetch: typeof globalThis.fetch = async (url, init) => {
        calls.push(`${url} ${new Headers(init?.headers).get('Authorization')}`)
        return new Response('{"data":[],"hasMore":false}')
      }
      await Countersign.fromEnv({ fetch }).customers.list()
      await Countersign.fromEnv({ fetch, profile: 'other' }).customers.list()
      expect(calls).toEqual(
        ['main', 'other'].map((name) => {
          const { baseUrl, tokenId, clientSecret } = at(name)
          return `${baseUrl}/customers Basic ${btoa(`${tokenId}:${clientSecret}`)}`
        }),
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('rejects stored credentials in a browser', () => {
    vi.stubGlobal('process', undefined)
    try {
      expect(() => Countersign.fromEnv()).toThrow(
        'Stored credentials can be read in Node, Deno and Bun only.',
      )
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
