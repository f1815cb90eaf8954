import { Countersign } from '@countersign/sdk'
import { cookies } from 'next/headers'

const { BASE = '', TOKEN_ID = '', CLIENT_SECRET = '' } = process.env

export const BASE_URL = BASE
export const countersign = new Countersign({
  baseUrl: BASE_URL,
  tokenId: TOKEN_ID,
  clientSecret: CLIENT_SECRET,
})

/** The customer and wallet of a user of this app. */
export interface User {
  readonly customerId: string
  readonly accountId: string
}

declare global {
  var appUsers: Map<string, User> | undefined
}

/**
 * Users by login cookie. A real app would use its own login and a database table. Stored on `globalThis`
 * because Next.js loads this module separately for pages and for routes.
 */
globalThis.appUsers ??= new Map()
export const users = globalThis.appUsers

export async function getCurrentUser(): Promise<User | undefined> {
  return users.get((await cookies()).get('app')?.value ?? '')
}
