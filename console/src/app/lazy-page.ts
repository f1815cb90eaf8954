import { lazyRouteComponent } from '@tanstack/react-router'
import { loadWhenIdle } from '../data/idle-loads.ts'

/**
 * A page whose code is loaded when it is first opened, or earlier while the console is idle. Load errors are
 * replaced with our own message, because the router reloads the window if it sees the browser's message, and
 * a reload fails while the server is down.
 */
export function createLazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  loadWhenIdle(load)
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      throw new Error('This page could not be loaded. The server may be restarting.', { cause })
    }
  }, name)
}
