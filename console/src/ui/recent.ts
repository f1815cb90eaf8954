import { isObject } from '@countersign/contract/core/decode'

/** A recently opened page: a record's, or a part of the console. */
export interface RecentPage {
  readonly title: string
  /** The list that it is a part of: `Customers`. */
  readonly kind: string
  /** Its path with its search. */
  readonly to: string
}

const KEY = 'countersign.recent'
const KEPT_MAX = 8

/**
 * The most recently opened record pages, newest first. They are kept only in this window and until the member
 * signs out, because titles are customers' names.
 */
export function recentPages(): readonly RecentPage[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecentPage) : []
  } catch {
    return []
  }
}

export function rememberPage(page: RecentPage): void {
  const others = recentPages().filter(({ to }) => to !== page.to)
  try {
    sessionStorage.setItem(KEY, JSON.stringify([page, ...others].slice(0, KEPT_MAX)))
  } catch {
    // A browser without storage has no recent pages.
  }
}

export function forgetPages(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}

function isRecentPage(value: unknown): value is RecentPage {
  return (
    isObject(value) &&
    [value.title, value.kind, value.to].every((one) => typeof one === 'string') &&
    // A path of the console, and no other address.
    /^\/(?!\/)/.test(String(value.to))
  )
}
