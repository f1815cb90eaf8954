import { isObject } from '@countersign/contract/core/decode'

/** A recently opened page, of a record or another part of the console. */
export interface RecentPage {
  readonly title: string
  /** The list to which it belongs, such as `Customers`. */
  readonly kind: string
  /** Its path including the query. */
  readonly to: string
}

const KEY = 'countersign.recent'
const KEPT_MAX = 8

/**
 * Returns the most recently opened record pages, newest first. Titles contain customers' names, so they are
 * stored only for this window and until the member signs out.
 */
export function readRecentPages(): readonly RecentPage[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecentPage) : []
  } catch {
    return []
  }
}

export function rememberPage(page: RecentPage): void {
  const otherPages = readRecentPages().filter(({ to }) => to !== page.to)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([page, ...otherPages].slice(0, KEPT_MAX)))
  } catch {
    // Without browser storage there are no recent pages.
  }
}

export function forgetPages(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // Without browser storage nothing has to be deleted.
  }
}

function isRecentPage(value: unknown): value is RecentPage {
  return (
    isObject(value) &&
    [value.title, value.kind, value.to].every((field) => typeof field === 'string') &&
    // Accept only a path within the console, not another URL.
    /^\/(?!\/)/.test(String(value.to))
  )
}
