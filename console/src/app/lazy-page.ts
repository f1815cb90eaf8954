import { lazyRouteComponent } from '@tanstack/react-router'
import { loadedWhenIdle } from '../data/idle-loads.ts'

/**
 * A page whose script is loaded when it is first opened, or before while the console is idle. A failure has its own message: the router reloads the window for
 * the browser's message, which replaces the console with the browser's error page while the server is away.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) {
  loadedWhenIdle(load)
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      throw new Error('This page could not be loaded. The server may be restarting.', { cause })
    }
  }, name)
}
