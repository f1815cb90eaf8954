import { useEffect, useMemo, useRef } from 'react'
import type { Caller } from '../client/calls.ts'
import { Client } from '../client/client.ts'

/** A page's connection to the API, in two forms. */
export type Reach =
  | {
      /** Your own connection to the API, such as a `Client` or a backend in between. */
      readonly client: Caller
      readonly baseUrl?: never
      readonly accessToken?: never
    }
  | {
      readonly client?: never
      /** The server, with the version: `https://pay.example.com/2025-10-13`. */
      readonly baseUrl: string
      /**
       * Gets a token of this customer from your backend. Called again when the server refuses the old one.
       */
      readonly accessToken: () => string | Promise<string>
    }

/**
 * The client of a provider. A new `accessToken` function, which every rendering creates, does not create a
 * new client.
 */
export function useClient({ client, baseUrl, accessToken }: Reach): Caller {
  const latest = useRef(accessToken)
  useEffect(() => {
    latest.current = accessToken
  })
  return useMemo(() => {
    if (client) return client
    const ask = async () => (await latest.current?.()) ?? ''
    return new Client({ baseUrl: baseUrl ?? '', accessToken: ask })
  }, [client, baseUrl])
}
