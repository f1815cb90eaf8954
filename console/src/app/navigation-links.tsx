import { NavLink, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { overviewQuery } from '../data/overview-query.ts'
import { useMissingPermission } from '../session/me.ts'
import { PathIcon } from '../ui/icons.tsx'
import { PLACES, type Place } from './navigation.ts'

const GROUPS = [...new Set(PLACES.map(({ group }) => group))]
/** Larger counts are shown as "99+". */
const SHOWN_MAX = 99

/** The navigation: pages with icons and the number of pending records. */
export function NavigationLinks({ pathname }: { readonly pathname: string }) {
  const countPending = usePendingCount()
  return (
    <nav aria-label="Pages">
      {GROUPS.map((group) => (
        <div key={group}>
          <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4}>
            {group}
          </Text>
          {PLACES.filter((place) => place.group === group).map((place) => (
            <PlaceLink
              key={place.to}
              place={place}
              isHere={isCurrent(place, pathname)}
              waiting={countPending(place)}
            />
          ))}
        </div>
      ))}
    </nav>
  )
}

/** Counts the pending records of a page, from the response that the overview also uses. */
function usePendingCount(): (place: Place) => number {
  const { data } = useQuery({ ...overviewQuery, enabled: useMissingPermission('VIEW') === undefined })
  return ({ waiting = [] }) => waiting.reduce((sum, kind) => sum + (data?.waiting[kind] ?? 0), 0)
}

function isCurrent({ to }: Place, pathname: string): boolean {
  return to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`)
}

function PlaceLink(props: { readonly place: Place; readonly isHere: boolean; readonly waiting: number }) {
  const { place, isHere: isActive, waiting } = props
  const { title, to, key, icon } = place
  return (
    <NavLink
      component={Link}
      to={to}
      label={title}
      title={`${title}: g ${key}`}
      leftSection={<PathIcon path={icon} />}
      rightSection={waiting > 0 && <Waiting count={waiting} />}
      active={isActive}
      aria-current={isActive ? 'page' : undefined}
      py={4}
      style={{ borderRadius: 'var(--mantine-radius-sm)' }}
    />
  )
}

function Waiting({ count }: { readonly count: number }) {
  return (
    <span className="waiting waits figures" role="img" aria-label={`${count.toLocaleString()} waiting`}>
      {count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}
    </span>
  )
}
