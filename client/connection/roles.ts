/** The roles of the appliance, most privileged first. See docs/project/interface.md#roles. */
const ROLES = ['Administrator', 'Operator', 'Observer'] as const

export type Role = (typeof ROLES)[number]

/** The names of the roles in session information; none where it has no such list. */
export function rolesOf(information: unknown): string[] {
  const roles: unknown = (information as { roles?: unknown } | undefined)?.roles
  return Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : []
}

/** False only when all roles are known ones, and none has sufficient privileges. */
export function mayAct(roles: string[], needed: Role): boolean {
  const ranks = roles.map((role) => ROLES.findIndex((known) => known === role))
  if (ranks.length === 0 || ranks.includes(-1)) return true
  return Math.min(...ranks) <= ROLES.indexOf(needed)
}
