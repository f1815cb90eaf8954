import { readProfiles } from '@countersign/sdk'
import { io } from '../terminal/io.ts'
import { printRecords } from '../terminal/records.ts'

/** `countersign profiles`: lists the stored profiles, without secrets. */
export async function listProfiles({ json }: { readonly json?: boolean }): Promise<void> {
  const { default: standard, profiles } = readProfiles(io().env)
  const rows = Object.entries(profiles).map(([name, { baseUrl, tokenId }]) => ({
    profile: name,
    baseUrl,
    tokenId,
    isDefault: name === standard,
  }))
  printRecords(
    { data: rows, hasMore: false },
    [
      ['PROFILE', ({ profile }) => profile],
      ['SERVER', ({ baseUrl }) => baseUrl],
      ['TOKEN', ({ tokenId }) => tokenId],
      ['', ({ isDefault }) => (isDefault ? 'default' : '')],
    ],
    { isJson: json ?? false, none: 'There are no profiles yet: countersign login' },
  )
}
