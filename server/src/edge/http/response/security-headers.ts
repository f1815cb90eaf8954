import type { App } from '../../../kernel/operation/app.ts'

const HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}
const HTTPS_HEADERS: Readonly<Record<string, string>> = {
  ...HEADERS,
  'Strict-Transport-Security': 'max-age=31536000',
}

/** The security headers of every response. */
export function buildSafetyHeaders({ config }: Pick<App, 'config'>): Readonly<Record<string, string>> {
  return config.publicUrl?.startsWith('https:') ? HTTPS_HEADERS : HEADERS
}
