import { tableOf } from '../terminal/table.ts'
import { ask } from './ask-server.ts'
import { createCredentials } from './new-credentials.ts'

interface Platform {
  readonly id: string
  readonly name: string
  readonly isRegulated: boolean
  readonly createdAt: string
}

/** `countersign platform create`: returns the exit code. */
export async function createPlatform(options: {
  name: string
  regulated?: boolean
  json?: boolean
}): Promise<number> {
  const args = ['platform', 'create', '--name', options.name, ...(options.regulated ? ['--regulated'] : [])]
  return createCredentials(args, options.json ?? false)
}

/** `countersign platform list`: returns the exit code. */
export async function listPlatforms(options: { json?: boolean }): Promise<number> {
  return ask(
    ['platform', 'list'],
    options.json ?? false,
    ({ data }: { readonly data: readonly Platform[] }) =>
      tableOf(
        data.map(({ id, name, isRegulated, createdAt }) => [
          id,
          createdAt,
          isRegulated ? 'regulated' : '',
          name,
        ]),
        'No platforms yet. Create one: platform create --name NAME',
      ),
  )
}
