import type { MetricType } from './format'

interface Family {
  type: MetricType
  help: string
}

const gauge = (help: string): Family => ({ type: 'gauge', help })
const counter = (help: string): Family => ({ type: 'counter', help })

/** Every metric, in the order in which they are written. Flows and dashboards rely on the names. */
export const FAMILIES = {
  media_gateway_fleet_appliances: gauge('Gateways of an inventory.'),
  media_gateway_fleet_member: gauge('1 while this instance takes part in its fleet, or else 0.'),
  media_gateway_fleet_owned: gauge('Gateways of an inventory that this instance works for.'),
  media_gateway_fleet_faults: gauge(
    'Rows of an inventory that cannot be used, and what is wrong with all of it.',
  ),
  media_gateway_up: gauge('Whether the latest poll of the gateway was successful and is current.'),
  media_gateway_last_poll_timestamp_seconds: gauge('When the latest successful poll ended.'),
  media_gateway_info: gauge('Name and firmware of the device, always 1.'),
  media_gateway_incidents_open: gauge('Incidents that have begun and not ended.'),
  media_gateway_device_health: gauge('Health of the device: 1 for the present sign.'),
  media_gateway_device_health_info: gauge('Why the device is not well, always 1.'),
  media_gateway_routes: gauge('Routes, by health.'),
  media_gateway_route_info: gauge('Names of a route and its source, always 1.'),
  media_gateway_destination_info: gauge('Names of a destination and its route, always 1.'),
  media_gateway_route_health: gauge('Health of the route: 1 for the present sign.'),
  media_gateway_route_health_info: gauge('Why the route is not well, always 1.'),
  media_gateway_destination_health_info: gauge('Why the destination is not well, always 1.'),
  media_gateway_route_running: gauge('Whether the route is running.'),
  media_gateway_route_status: gauge('Status of the route: 1 for the present one.'),
  media_gateway_source_status: gauge('Status of the source: 1 for the present one.'),
  media_gateway_destination_status: gauge('Status of the destination: 1 for the present one.'),
  media_gateway_source_receive_bytes_per_second: gauge('What the source receives.'),
  media_gateway_destination_send_bytes_per_second: gauge('What the destination sends.'),
  media_gateway_destination_clients: gauge('Clients of the destination.'),
  media_gateway_caller_connections: gauge(
    'Connections of a caller that has a name; 0 for an expected caller who is away.',
  ),
  media_gateway_source_srt_round_trip_time_seconds: gauge(
    'Round-trip time of the worst connection of the source.',
  ),
  media_gateway_source_srt_packets_lost_total: counter(
    'Lost packets of the connections of the source, since the route was started.',
  ),
  media_gateway_source_srt_packet_loss_ratio: gauge(
    'Packet loss of the worst connection of the source, from 0 to 1.',
  ),
  media_gateway_source_srt_buffer_seconds: gauge(
    'Receive buffer of the worst connection of the source.',
  ),
  media_gateway_destination_srt_round_trip_time_seconds: gauge(
    'Round-trip time of the worst connection of the destination.',
  ),
  media_gateway_destination_srt_packets_lost_total: counter(
    'Lost packets of the connections of the destination, since it was started.',
  ),
  media_gateway_destination_srt_packet_loss_ratio: gauge(
    'Packet loss of the worst connection of the destination, from 0 to 1.',
  ),
  media_gateway_destination_srt_buffer_seconds: gauge(
    'Send buffer of the worst connection of the destination.',
  ),
  media_gateway_failover_switches_total: counter(
    'Switches of the failover of the route since it was started, by cause.',
  ),
  media_gateway_failover_protects: gauge(
    'Whether the failover protects its route, with the reason why not.',
  ),
  media_gateway_failover_state: gauge('State of the failover of the route: 1 for the present one.'),
  media_gateway_requests_total: counter('HTTP requests to the gateway, by result.'),
  media_gateway_logins_total: counter('Logins at the gateway, by result.'),
  media_gateway_poll_duration_seconds: {
    type: 'summary',
    help: 'How long the successful polls of the gateway took.',
  },
} as const satisfies Record<string, Family>

export type FamilyName = keyof typeof FAMILIES
