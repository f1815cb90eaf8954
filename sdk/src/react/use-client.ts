import { useEffect, useMemo, useRef } from 'react'
import type { Caller } from '../client/calls.ts'
import { Client } from '../client/client.ts'

/** The two ways for a page to reach the API. */
export type Reach =
  | {
      /** Your own caller, such as a `Client` or a connection through your backend. */
      readonly client: Caller
      readonly baseUrl?: never
      readonly accessToken?: never
    }
  | {
      readonly client?: never
      /** The server's address with the API version: `https://pay.example.com/2025-10-13`. */
      readonly baseUrl: string
      /**
       * Gets a token for this customer from your backend. Called again when the server rejects the previous
       * one.
       */
      readonly accessToken: () => string | Promise<string>
    }

/**
 * Returns the provider's client. It stays the same although every render passes a new `accessToken` function.
 */
export function useClient({ client, baseUrl, accessToken }: Reach): Caller {
  const latest = useRef(accessToken)
  useEffect(() => {
    latest.current = accessToken
  })
  return useMemo(() => {
    if (client) return client
    const getToken = async () => (await latest.current?.()) ?? ''
    return new Client({ baseUrl: baseUrl ?? '', accessToken: getToken })
  }, [client, baseUrl])
}
